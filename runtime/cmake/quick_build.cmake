# PTO2_QUICK_BUILD: trees that are built often, and read with sanitizers or a debugger at most, are
# compiled sooner. Trees without it, such as release, measure, and find what a file forgets to
# include.
#
# pto2_join_sources(TARGET...)  compiles 16 sources of a target at a time, 24 of a test: most of
#                               what they include is the same. Their unnamed namespaces become one.
# pto2_runs_once(TARGET...)     does not optimise what a program runs once, and what reads long
#                               headers to do little.
# pto2_runs_long(TARGET...)     optimises more than the rest of the tree what tests spend most of
#                               their time in, but for sanitizers.
# pto2_inlines_much(TARGET...)  for units that instantiate the hot path for every variant: GCC
#                               bounds what is inlined by the size of the unit, and rare paths would
#                               use up what the hot ones need. Not in trees that never measure.
# pto2_test_headers(TARGET)     has a test read the headers that nearly all tests include
#                               precompiled, once for all.
option(PTO2_QUICK_BUILD "compile sooner: precompiled headers, joined sources, less optimisation"
       OFF)
# Hundreds of programs are linked, which gold does in a third of the time. Debian has it beside GCC.
find_program(PTO2_GOLD ld.gold DOC "links quick builds, if it is there")
mark_as_advanced(PTO2_GOLD)
if(PTO2_QUICK_BUILD AND PTO2_GOLD)
  add_link_options(-fuse-ld=gold)
endif()

function(pto2_join_sources)
  if(PTO2_QUICK_BUILD)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# pto2_quick_option(OPTION TARGET...): behind the options of the tree.
function(pto2_quick_option OPTION)
  if(PTO2_QUICK_BUILD)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE ${OPTION})
    endforeach()
  endif()
endfunction()

function(pto2_runs_once)
  pto2_quick_option(-O0 ${ARGN})
endfunction()

function(pto2_runs_long)
  if(NOT PTO2_SANITIZE)
    pto2_quick_option(-O2 ${ARGN})
  endif()
endfunction()

function(pto2_inlines_much)
  if(NOT PTO2_QUICK_BUILD)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=200>)
    endforeach()
  endif()
endfunction()

function(pto2_test_headers TARGET)
  if(NOT PTO2_QUICK_BUILD)
    return()
  endif()
  # Precompiled headers are for one set of options of the processor: those of libcds, which most
  # tests have.
  find_package(LibCDS REQUIRED)
  if(NOT TARGET pto2_headers_of_tests)
    file(CONFIGURE OUTPUT headers_of_tests.cpp CONTENT "")
    add_library(pto2_headers_of_tests OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers_of_tests.cpp)
    target_link_libraries(pto2_headers_of_tests PRIVATE GTest::gmock LibCDS::LibCDS)
    target_precompile_headers(pto2_headers_of_tests PRIVATE
      <gmock/gmock.h> <gtest/gtest.h> <algorithm> <atomic> <functional> <string> <thread> <vector>)
  endif()
  target_link_libraries(${TARGET} PRIVATE LibCDS::LibCDS)
  target_precompile_headers(${TARGET} REUSE_FROM pto2_headers_of_tests)
  # One with other options reads them as text.
  set_target_properties(${TARGET} PROPERTIES PCH_WARN_INVALID OFF)
endfunction()
