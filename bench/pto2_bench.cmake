# PTO2_BENCHMARKS: builds the benchmarks if what they need is here, which a line of the
# configuration says otherwise. PTO2_BENCHMARKS_FOUND is true when there are benchmarks.
option(PTO2_BENCHMARKS "benchmarks; they need OpenMP and google-benchmark"
       ${PROJECT_IS_TOP_LEVEL})
set(PTO2_BENCHMARKS_FOUND OFF)
if(PTO2_BENCHMARKS)
  set(missing "")
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    list(APPEND missing "google-benchmark (libbenchmark-dev)")
  endif()
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(NOT OpenMP_CXX_FOUND)
    list(APPEND missing "OpenMP for this compiler (GCC has it, clang-19 needs libomp-19-dev)")
  endif()
  if(missing)
    list(JOIN missing ", " missing)
    message(STATUS "Benchmarks: none, as these are missing: ${missing}")
  else()
    set(PTO2_BENCHMARKS_FOUND ON)
    message(STATUS "Benchmarks: all")
  endif()
else()
  message(STATUS "Benchmarks: none, as PTO2_BENCHMARKS is off")
endif()

# pto2_bench(SUBJECT source... [LIBRARIES target...] [DEPENDS target...])
#
# Builds bin/SUBJECT_bench on google-benchmark. The program takes `--rows FILE` and appends one JSON
# object per line with subject, work, ns, peer, peer_ns, ratio (the rows of ./dev bench --json),
# beside google-benchmark's own options. What has no peer says nothing of one, and what the checker
# does is not told in ns. A peer that is
# measured with fewer tasks, because it would take too long or too much memory, has peer_tasks as
# well.
function(pto2_bench SUBJECT)
  cmake_parse_arguments(PARSE_ARGV 1 BENCH "" "" "LIBRARIES;DEPENDS")
  add_executable(${SUBJECT}_bench ${BENCH_UNPARSED_ARGUMENTS})
  target_include_directories(${SUBJECT}_bench PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${SUBJECT}_bench PRIVATE ${BENCH_LIBRARIES} benchmark::benchmark)
  if(BENCH_DEPENDS)
    add_dependencies(${SUBJECT}_bench ${BENCH_DEPENDS})
  endif()
endfunction()
