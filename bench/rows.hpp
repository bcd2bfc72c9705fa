/// Rows of `--rows FILE`: one JSON object per line, as ./dev bench --json collects them.
#pragma once

#include <benchmark/benchmark.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pto2::bench {

/// Takes `--rows FILE` out of the arguments, runs the benchmarks, and writes `rows` there.
inline int run_with_rows(int argc, char** argv, const std::vector<nlohmann::json>& rows) {
  std::string file;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    if (std::string(argv[i]) == "--rows" && i + 1 < argc) {
      file = argv[++i];
    } else {
      rest.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (file.empty()) return 0;
  std::ofstream out(file, std::ios::app);
  for (const nlohmann::json& row : rows) out << row.dump() << '\n';
  if (out.flush()) return 0;
  std::cerr << "cannot write " << file << "\n";
  return 3;
}

}  // namespace pto2::bench
