# pto2_bench(SUBJECT source... [LIBRARIES target...] [DEPENDS target...])
#
# Builds bin/SUBJECT_bench on google-benchmark. The program takes `--rows FILE` and appends one JSON
# object per line with subject, work, ns, peer, peer_ns, ratio (the rows of ./dev bench --json),
# beside google-benchmark's own options. A peer that is measured with fewer tasks, because it would
# take too long or too much memory, has peer_tasks as well.
function(pto2_bench SUBJECT)
  cmake_parse_arguments(PARSE_ARGV 1 BENCH "" "" "LIBRARIES;DEPENDS")
  find_package(benchmark REQUIRED)
  add_executable(${SUBJECT}_bench ${BENCH_UNPARSED_ARGUMENTS})
  target_include_directories(${SUBJECT}_bench PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${SUBJECT}_bench PRIVATE ${BENCH_LIBRARIES} benchmark::benchmark)
  if(BENCH_DEPENDS)
    add_dependencies(${SUBJECT}_bench ${BENCH_DEPENDS})
  endif()
endfunction()
