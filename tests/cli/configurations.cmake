# Configures trees of other kinds than the presets', and looks at what they would build:
#
#   cmake -DSOURCE=.. -DWORK=.. -DCXX=.. -P configurations.cmake
#
# Configures alone: what is wrong shows there, or in the list of targets.

# Configures WORK/NAME with the options ARGN. Sets LOG to the output, TARGETS to the tree's targets.
function(configure NAME)
  file(REMOVE_RECURSE ${WORK}/${NAME})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=CMAKE_CXX_COMPILER_LAUNCHER
            ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/${NAME} -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
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
expect_no(no_tests "${TARGETS}" "[a-z_]+_test: |tests_unit: ")
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

# A part of another project: nothing that only we need, and what belongs to that project as it was.
set(other ${WORK}/other_project)
file(MAKE_DIRECTORY ${other})
file(WRITE ${other}/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(Other LANGUAGES CXX)
add_subdirectory(${PTO2} pto2)
add_executable(own own.cpp)
target_link_libraries(own PRIVATE pto2::checker)
get_directory_property(options COMPILE_OPTIONS)
message(STATUS "own options: [${options}] [${CMAKE_BUILD_TYPE}] [${CMAKE_CXX_COMPILER_LAUNCHER}]")
message(STATUS "own testing: [${BUILD_TESTING}] [${PTO2_TESTS}]")
]])
file(WRITE ${other}/own.cpp "int main() {}\n")
set(ours ${SOURCE})
set(SOURCE ${other})
configure(other -DPTO2=${ours})
expect(other "${LOG}" "own options: \\[\\] \\[\\] \\[\\]")
expect(other "${LOG}" "own testing: \\[\\] \\[OFF\\]")
expect(other "${TARGETS}" "pto2/bin/pto2: ")
expect_no(other "${TARGETS}" "[a-z_]+_test: |runtime_bench|plant_mutants|tests_unit: ")
configure(other_with_tests -DPTO2=${ours} -DPTO2_TESTS=ON -UPTO2_MUTANTS)
expect(other_with_tests "${TARGETS}" "pto2/bin/core_test: ")
set(SOURCE ${ours})

# In a folder with a space: the options of the sanitizers name files of the tree.
set(SOURCE "${WORK}/a folder")
file(COPY ${ours}/sanitizers DESTINATION ${SOURCE})
file(WRITE ${SOURCE}/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(Sanitized LANGUAGES CXX)
include(sanitizers/flavour.cmake)
enable_testing()
file(WRITE ${PROJECT_SOURCE_DIR}/own.cpp "int main() {}\n")
add_executable(own own.cpp)
add_test(NAME own COMMAND own)
set_tests_properties(own PROPERTIES ENVIRONMENT "${PTO2_TEST_ENVIRONMENT}")
]])
foreach(sanitizers thread address,undefined)
  configure(sanitized -DPTO2_SANITIZE=${sanitizers})
  execute_process(COMMAND ninja -C ${WORK}/sanitized OUTPUT_QUIET)
  execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/sanitized --output-on-failure
                  OUTPUT_VARIABLE log ERROR_VARIABLE log)
  expect(${sanitizers} "${log}" "100% tests passed")
endforeach()
set(SOURCE ${ours})

configure(no_benchmarks -DPTO2_BENCHMARKS=OFF)
expect(no_benchmarks "${LOG}" "Benchmarks: none, as PTO2_BENCHMARKS is off")
expect_no(no_benchmarks "${TARGETS}" "runtime_bench")
