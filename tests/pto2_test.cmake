# pto2_test(NAME source... [LABELS label...] [LIBRARIES target...] [ARGUMENTS arg...] [TIMEOUT s])
#
# Builds one googletest executable (googletest's and googlemock's main are linked unless a source
# brings its own) and registers it as one CTest test of the same name. One test per executable, not
# per case: CTest then starts a process per file, and the listing needs no run after the build.
# Labels: unit (default), e2e, cli, tidy, check, stress; add "sanitize" to have .ci/run repeat the
# test under TSan and ASan+UBSan. An executable without any test case fails.
find_package(GTest REQUIRED)

function(pto2_test NAME)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "" "TIMEOUT" "LABELS;LIBRARIES;ARGUMENTS")
  if(NOT TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pto2_test(${NAME}): no source files")
  endif()
  if(NOT TEST_LABELS)
    set(TEST_LABELS unit)
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * ${PTO2_TEST_SLOWDOWN}")
  add_executable(${NAME} ${TEST_UNPARSED_ARGUMENTS})
  target_include_directories(${NAME} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${NAME} PRIVATE ${TEST_LIBRARIES} GTest::gmock_main)
  add_test(NAME ${NAME} COMMAND ${NAME} ${TEST_ARGUMENTS} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(
    ${NAME} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT}
                       ENVIRONMENT "${PTO2_TEST_ENVIRONMENT}"
                       FAIL_REGULAR_EXPRESSION "Running 0 tests")
endfunction()
