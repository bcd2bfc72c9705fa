# Configures trees of other kinds than the presets', and looks at what they would build:
#
#   cmake -DSOURCE=.. -DWORK=.. -DCXX=.. -P configurations.cmake
#
# Configures alone: what is wrong shows there, or in the list of targets.

# Configures WORK/NAME with the options ARGN. Sets LOG to the output, TARGETS to the tree's targets.
function(configure NAME)
  file(REMOVE_RECURSE ${WORK}/${NAME})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/${NAME} -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
            -DPTO2_MUTANTS=OFF ${ARGN}
    OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NAME}: does not configure:\n${log}")
  endif()
  execute_process(COMMAND ninja -C ${WORK}/${NAME} -t targets all OUTPUT_VARIABLE targets)
  set(LOG "${log}" PARENT_SCOPE)
  set(TARGETS "${targets}" PARENT_SCOPE)
endfunction()

function(expect NAME TEXT PATTERN)
  if(NOT TEXT MATCHES "${PATTERN}")
    message(SEND_ERROR "${NAME}: expected ${PATTERN}")
  endif()
endfunction()

function(expect_no NAME TEXT PATTERN)
  if(TEXT MATCHES "${PATTERN}")
    message(SEND_ERROR "${NAME}: did not expect ${CMAKE_MATCH_0}")
  endif()
endfunction()

# Somebody else's build: without googletest, warnings are no errors.
configure(no_tests -DBUILD_TESTING=OFF -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON)
expect(no_tests "${TARGETS}" "bin/pto2: ")
expect(no_tests "${TARGETS}" "runtime_bench")
expect_no(no_tests "${TARGETS}" "[a-z_]+_test: |bin/soak: |tests_unit: ")
file(READ ${WORK}/no_tests/build.ninja rules)
expect_no(no_tests "${rules}" "-Werror")
if(EXISTS ${WORK}/no_tests/CTestTestfile.cmake)
  file(READ ${WORK}/no_tests/CTestTestfile.cmake listed)
  expect_no(no_tests "${listed}" "add_test")
endif()

configure(no_openmp -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON)
expect(no_openmp "${LOG}" "Benchmarks: none, as these are missing: OpenMP")
expect(no_openmp "${TARGETS}" "core_test: ")
expect_no(no_openmp "${TARGETS}" "runtime_bench")

configure(no_benchmarks -DPTO2_BENCHMARKS=OFF)
expect(no_benchmarks "${LOG}" "Benchmarks: none, as PTO2_BENCHMARKS is off")
expect_no(no_benchmarks "${TARGETS}" "runtime_bench")
