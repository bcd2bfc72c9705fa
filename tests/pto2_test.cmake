# pto2_test(NAME source... [LIBRARIES target...] [DEPENDS target...] OPTIONS)
#
# Builds one googletest executable (googletest's and googlemock's main are linked unless a source
# brings its own) and registers it as one CTest test of the same name. Its sources are compiled
# together (pto2_join_sources). One test per executable, not per case: CTest then starts a process
# per file, and the listing needs no run after the build. An executable without any test case fails.
# DEPENDS: targets the test needs at run time (a program it starts, shared objects it loads).
#
# pto2_program_test(NAME TARGET OPTIONS)
#
# Registers an existing executable: exit code 0 passes.
#
# OPTIONS of both; tests run from the source directory:
#   LABELS label...      unit (default), e2e, cli, tidy, check, stress; add "sanitize" to have the
#                        test repeated under TSan and under ASan+UBSan every night, and besides
#                        "races" or "memory" to have .ci/run do the former or the latter, too.
#                        Target tests_LABEL builds what a label needs.
#   ONE_THREAD           TSan could find nothing in it: "sanitize" is not for that flavour; in
#                        builds without a sanitizer a test of pto2_test ends at its second thread
#   ARGUMENTS arg...
#   TIMEOUT seconds      default 120, or twenty times COST if that is more: for a machine that is
#                        slow and busy; five times as much under a sanitizer
#   ALONE                CTest runs no other test at the same time
#   COST seconds         what it takes, if that is long: CTest begins with the longest, so that none
#                        runs alone at the end
#   LONG                 for `ctest -C long` only, as ./dev test --long runs it, and ./dev check and
#                        ./dev stress what has their label; quick builds build it on demand, with
#                        tests_LABEL
#   SLOW pattern...      cases of a pto2_test that are left to the night, as googletest's filter has
#                        them: NAME_slow runs these, for `ctest -C long` only, and NAME the others.
#                        With a sanitizer NAME runs all of them
#   LONG_ARGUMENTS arg...  registers NAME_long as well, the same executable with these arguments,
#                        for `ctest -C long` only, with the labels check and stress alone: ./dev
#                        check and ./dev stress run it
#   LONG_TIMEOUT seconds
#
# pto2_valgrind_test(NAME TARGET ARGUMENT...)
#
# With PTO2_HELGRIND, runs an executable that uses OS threads alone, no fibers, under helgrind as
# the test helgrind_NAME and under DRD as drd_NAME, labelled "sanitize".
#
# Without PTO2_TESTS they do nothing.
#
# PTO2_TEST_OPTIONS: what tests are compiled with behind the options of the tree. They are many, and
# most are read once: compiling them less well is quicker than what they lose.
set(PTO2_TEST_OPTIONS "" CACHE STRING "options for the compilation of tests, such as -O1")
if(PTO2_TESTS)
  find_package(GTest REQUIRED)
endif()

function(pto2_test NAME)
  if(NOT PTO2_TESTS)
    return()
  endif()
  set(flags ALONE LONG ONE_THREAD)
  set(options LABELS ARGUMENTS COST TIMEOUT LONG_ARGUMENTS LONG_TIMEOUT)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "${flags}" "" "LIBRARIES;DEPENDS;SLOW;${options}")
  if(NOT TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pto2_test(${NAME}): no source files")
  endif()
  add_executable(${NAME} ${TEST_UNPARSED_ARGUMENTS})
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${NAME} PRIVATE ${TEST_LIBRARIES} GTest::gmock_main)
  if(TEST_LONG AND PTO2_QUICK_BUILD)
    set_target_properties(${NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  pto2_test_headers(${NAME})
  list(LENGTH TEST_UNPARSED_ARGUMENTS sources)
  if(sources GREATER 1)
    # More than of a library: what they say of googletest is the same besides.
    pto2_join_sources(${NAME})
    set_target_properties(${NAME} PROPERTIES UNITY_BUILD_BATCH_SIZE 24)
  endif()
  if(TEST_DEPENDS)
    add_dependencies(${NAME} ${TEST_DEPENDS})
  endif()
  if(TEST_ONE_THREAD AND NOT PTO2_SANITIZE)
    target_link_libraries(${NAME} PRIVATE pto2_one_thread)
  endif()
  set(given "")
  foreach(flag IN LISTS flags)
    if(TEST_${flag})
      list(APPEND given ${flag})
    endif()
  endforeach()
  foreach(option IN LISTS options)
    if(TEST_${option})
      list(APPEND given ${option} ${TEST_${option}})
    endif()
  endforeach()
  if(TEST_SLOW AND NOT PTO2_SANITIZE)
    list(JOIN TEST_SLOW ":" slow)
    pto2_program_test(${NAME}_slow ${NAME} ${given} LONG ARGUMENTS --gtest_filter=${slow})
    list(APPEND given ARGUMENTS --gtest_filter=-${slow})
  endif()
  pto2_program_test(${NAME} ${NAME} ${given})
endfunction()

function(pto2_program_test NAME TARGET)
  if(NOT PTO2_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 TEST "ALONE;LONG;ONE_THREAD" "COST;TIMEOUT;LONG_TIMEOUT"
                        "LABELS;ARGUMENTS;LONG_ARGUMENTS")
  if(NOT TEST_LABELS)
    set(TEST_LABELS unit)
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
    if(TEST_COST)
      math(EXPR for_cost "20 * ${TEST_COST}")
      if(for_cost GREATER TEST_TIMEOUT)
        set(TEST_TIMEOUT ${for_cost})
      endif()
    endif()
  endif()
  math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * ${PTO2_TEST_SLOWDOWN}")

  set(only "")
  if(TEST_LONG)
    set(only CONFIGURATIONS long)
  endif()
  add_test(NAME ${NAME} COMMAND ${TARGET} ${TEST_ARGUMENTS} ${only}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(PTO2_OWN_SANITIZE_TESTS OR (TEST_ONE_THREAD AND PTO2_SANITIZE STREQUAL "thread"))
    list(REMOVE_ITEM TEST_LABELS sanitize)  # the former has its own, with pto2_valgrind_test
  endif()
  set(tests ${NAME})
  if(TEST_LONG_ARGUMENTS)
    add_test(NAME ${NAME}_long COMMAND ${TARGET} ${TEST_LONG_ARGUMENTS} CONFIGURATIONS long
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND tests ${NAME}_long)
    set(long_labels ${TEST_LABELS})
    list(FILTER long_labels INCLUDE REGEX "^(check|stress)$")
    if(NOT long_labels)
      message(FATAL_ERROR "${NAME}_long: ./dev check or ./dev stress runs it, by their label")
    endif()
  endif()
  set_tests_properties(
    ${tests} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT} RUN_SERIAL ${TEST_ALONE}
                        ENVIRONMENT "${PTO2_TEST_ENVIRONMENT}"
                        FAIL_REGULAR_EXPRESSION "Running 0 tests")
  if(TEST_LONG_ARGUMENTS)
    set_tests_properties(${NAME}_long PROPERTIES LABELS "${long_labels}")
  endif()
  if(TEST_COST)
    set_tests_properties(${NAME} PROPERTIES COST ${TEST_COST})
  endif()
  if(TEST_LONG_TIMEOUT)
    set_tests_properties(${NAME}_long PROPERTIES TIMEOUT ${TEST_LONG_TIMEOUT})
  endif()
  foreach(label IN LISTS TEST_LABELS)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${TARGET})
  endforeach()
endfunction()

function(pto2_valgrind_test NAME TARGET)
  if(NOT PTO2_TESTS OR NOT PTO2_HELGRIND)
    return()
  endif()
  if(NOT PTO2_VALGRIND)
    message(FATAL_ERROR "PTO2_HELGRIND needs valgrind; on Debian: apt-get install valgrind")
  endif()
  foreach(tool helgrind drd)
    add_test(NAME ${tool}_${NAME}
             COMMAND ${PTO2_VALGRIND} --tool=${tool} ${PTO2_VALGRIND_OPTIONS}
                     $<TARGET_FILE:${TARGET}> ${ARGN}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${tool}_${NAME} PROPERTIES LABELS sanitize TIMEOUT 1200
                         FAIL_REGULAR_EXPRESSION "Running 0 tests")
  endforeach()
  if(NOT TARGET tests_sanitize)
    add_custom_target(tests_sanitize)
  endif()
  add_dependencies(tests_sanitize ${TARGET})
endfunction()
