# Build flavours that count what a run reaches.
#
# PTO2_FUZZ: libFuzzer's counters in everything, and the fuzz targets of tests/fuzz (clang alone).
# PTO2_COVERAGE: of lines and branches ("gcov"), or with clang of conditions as well ("mcdc").
option(PTO2_FUZZ "libFuzzer's counters and targets; needs clang" OFF)
set(PTO2_COVERAGE "" CACHE STRING "counters: gcov | mcdc | empty")
set_property(CACHE PTO2_COVERAGE PROPERTY STRINGS "" "gcov" "mcdc")
if(PTO2_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PTO2_FUZZ needs clang's libFuzzer; use the preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(PTO2_COVERAGE STREQUAL "gcov")
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
elseif(PTO2_COVERAGE STREQUAL "mcdc")
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc)
  add_link_options(-fprofile-instr-generate)
endif()
