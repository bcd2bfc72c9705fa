/// Rows of `--rows FILE`: one JSON object per line, as ./dev bench --json collects them.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/program.hpp"

namespace pto2::bench {

using Rows = std::vector<nlohmann::json>;

/// Takes `--rows FILE` out of the arguments; empty: there is none.
inline std::string take_rows_file(std::vector<char*>& arguments) {
  std::string file;
  std::vector<char*> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::string(arguments[i]) == "--rows" && i + 1 < arguments.size()) {
      file = arguments[++i];
    } else {
      rest.push_back(arguments[i]);
    }
  }
  arguments = std::move(rest);
  return file;
}

/// Runs the benchmarks, and writes `rows` to the file of `--rows FILE`: if one throws, those of
/// what was measured before it. `reporter` prints what is measured; none: google-benchmark does.
inline int run_with_rows(int argc, char** argv, const Rows& rows,
                         benchmark::BenchmarkReporter* reporter = nullptr) {
  std::vector<char*> arguments(argv, argv + argc);
  const std::string file = take_rows_file(arguments);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const int status = run_program(argv[0], [&] {
    benchmark::RunSpecifiedBenchmarks(reporter);
    return 0;
  });
  benchmark::Shutdown();
  if (file.empty()) return status;
  std::ofstream out(file, std::ios::app);
  for (const nlohmann::json& row : rows) out << row.dump() << '\n';
  if (out.flush()) return status;
  std::cerr << "cannot write " << file << "\n";
  return 3;
}

}  // namespace pto2::bench
