/// The matrix kernels beside OpenBLAS's sgemm on one thread, softmax and update beside plain loops,
/// and each where its operands lie badly or are subnormal beside the ordinary case.
///
///   kernels_bench [--rows FILE]    measures all in turns, and prints tables; appends a JSON object
///                                  per contender to FILE
///
/// Exit code: 0; 1 if a ratio is not what docs/PERFORMANCE.md promises; 3 on an error.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/kernels/section.hpp"
#include "bench/program.hpp"

namespace pto2::bench {
namespace {

/// What a cell says of a contender; `first` is what it is compared with.
using Cell = std::string (*)(const Timing& timing, bool first);

std::string rate(const Timing& timing, bool first) {
  const std::string gflops = fmt::format("{:.1f}", 1 / timing.ns);
  return first ? gflops : fmt::format("{} ({:.0f} %)", gflops, 100 / timing.ratio);
}

std::string time(const Timing& timing, bool first) {
  const std::string ns = fmt::format("{:.3f}", timing.ns);
  return first ? ns : fmt::format("{} ({:.2f})", ns, timing.ratio);
}

std::string ratio(const Timing& timing, bool) {
  return fmt::format("{:.2f}", timing.ratio);
}

/// A row per work, a column per contender.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> rows;

  void add(const std::string& work, const std::string& column, const std::string& cell) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
    if (rows.empty() || rows.back().first != work) rows.push_back({work, {}});
    rows.back().second[column] = cell;
  }

  void print(const std::string& heading) const {
    fmt::print("\n{}\n\n| |", heading);
    for (const std::string& column : columns) fmt::print(" {} |", column);
    fmt::print("\n|---|");
    for (size_t i = 0; i < columns.size(); ++i) fmt::print("--:|");
    fmt::print("\n");
    for (const auto& [work, cells] : rows) {
      fmt::print("| {} |", work);
      for (const std::string& column : columns) {
        fmt::print(" {} |", cells.contains(column) ? cells.at(column) : "–");
      }
      fmt::print("\n");
    }
  }
};

struct Section {
  std::string heading;
  std::vector<Comparison> (*measure)();
  Cell cell;
  bool with_first;  ///< a column for what the others are compared with
};

const Section sections[] = {
    {"GFLOP/s, and the rate as a part of sgemm's", measure_products, rate, true},
    {"ns per element, and the ratio to the plain loop's", measure_elements, time, true},
    {"Time, by that of the ordinary case", measure_cliffs, ratio, false}};

std::vector<nlohmann::json> rows_of(const Comparison& comparison) {
  std::vector<nlohmann::json> rows;
  const Timing& peer = comparison.timings[0];
  for (size_t i = 1; i < comparison.timings.size(); ++i) {
    const Timing& own = comparison.timings[i];
    rows.push_back({{"subject", "kernels"},
                    {"work", comparison.work + ", " + own.name},
                    {"ns", own.ns},
                    {"peer", peer.name},
                    {"peer_ns", peer.ns},
                    {"ratio", own.ratio}});
  }
  return rows;
}

/// Measures and prints a section; the works whose second contender takes too long.
std::vector<std::string> run(const Section& section, std::vector<nlohmann::json>& rows) {
  Table table;
  std::vector<std::string> broken;
  for (const Comparison& comparison : section.measure()) {
    const std::vector<Timing>& timings = comparison.timings;
    for (size_t i = section.with_first ? 0 : 1; i < timings.size(); ++i) {
      table.add(comparison.work, timings[i].name, section.cell(timings[i], i == 0));
    }
    std::ranges::move(rows_of(comparison), std::back_inserter(rows));
    if (comparison.is_broken()) {
      broken.push_back(fmt::format("{}, {}: {:.2f} times as long as {}, not at most {}",
                                   comparison.work, timings[1].name, timings[1].ratio,
                                   timings[0].name, comparison.most));
    }
  }
  table.print(section.heading);
  return broken;
}

void append(const std::string& file, const std::vector<nlohmann::json>& rows) {
  std::ofstream out(file, std::ios::app);
  for (const nlohmann::json& row : rows) out << row.dump() << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

int main_of(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && (arguments.size() != 2 || arguments[0] != "--rows")) {
    std::cerr << "usage: kernels_bench [--rows FILE]\n";
    return 2;
  }
  openblas_set_num_threads(1);  // of a library that is not openblas-serial
  fmt::print("OpenBLAS computes as for {}.\n", openblas_get_corename());
  std::vector<nlohmann::json> rows;
  std::vector<std::string> broken;
  for (const Section& section : sections) {
    std::ranges::move(run(section, rows), std::back_inserter(broken));
  }
  if (!arguments.empty()) append(arguments[1], rows);
  for (const std::string& line : broken) std::cerr << "kernels: " << line << '\n';
  return broken.empty() ? 0 : 1;
}

}  // namespace
}  // namespace pto2::bench

int main(int argc, char** argv) {
  return pto2::bench::run_program("kernels", [&] {
    return pto2::bench::main_of({argv + 1, argv + argc});
  });
}
