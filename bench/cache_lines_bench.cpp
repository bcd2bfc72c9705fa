/// Cache lines that change hands per task, as a simulation counts them (cache_lines.hpp).
///
///   cache_lines_bench [--rows FILE] [--update]    measures the graphs and compares with
///                                                 bench/cache_lines.csv, or writes that
///
/// Exit code: that of check_figures() (expected.hpp). The figures are those of the protocols and of
/// where their data lies; what a compiler optimises does not change them.
#include <iostream>

#include "bench/cache_lines.hpp"
#include "bench/program.hpp"

int main(int argc, char** argv) {
  using namespace pto2::bench;
  FigureOptions options;
  if (!parse({argv + 1, argv + argc}, options)) {
    std::cerr << "usage: cache_lines_bench [--rows FILE] [--update]\n";
    return 2;
  }
  return run_program("cache_lines", [&] {
    return check_figures(cache_lines_expectation(), options, cache_lines_works());
  });
}
