/// Instructions per task, as callgrind counts them: without a clock, so without noise.
///
///   instructions_bench [--rows FILE] [--update]    measures each graph and compares with
///                                                  bench/instructions.csv, or writes that
///   instructions_bench --run GRAPH TASKS           what is measured: runs the graph on one host
///                                                  thread, and prints how many tasks it had
///
/// What a task costs is the difference of two runs, of few tasks and of many, by the difference of
/// their tasks: launches are not in it. It says where the instructions are, by layer
/// (callgrind_profile.hpp).
///
/// Exit code: 0, or 1 if a figure is further from what is expected than the tolerance, in either
/// direction: what was won is written down, so that it is not lost in silence. The figures are
/// those of the release preset with GCC 12 on x86-64; another compiler has others.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "bench/callgrind_profile.hpp"
#include "bench/graphs.hpp"
#include "runtime/device/device.hpp"

namespace pto2::bench {
namespace {

namespace fs = std::filesystem;

constexpr Graph graphs[] = {Graph::independent, Graph::chain, Graph::stencil,
                            Graph::paged_attention};
constexpr int64_t few = 2'000;
constexpr int64_t many = 6'000;

/// How far a figure may be from what is expected: this part of it, or so many instructions.
constexpr double tolerance = 0.02;
constexpr double least_tolerance = 4;

/// Instructions per task, by layer; and under `all` those of all layers.
using PerTask = std::map<std::string, double>;
constexpr const char* all = "all";

void empty_kernel(int64_t*) {}

int run(const std::string& name, int64_t tasks) {
  static constexpr KernelEntry kernels[] = {empty_kernel};
  for (const Graph graph : graphs) {
    if (name != name_of(graph)) continue;
    GraphMemory memory;
    DeviceConfig config;
    config.window = 1024;
    const RunResult result =
        launch(config, executors::TeamOptions{.host_threads = 1},
               {kernels, [&](PTO2Runtime* rt) { submit(rt, graph, tasks, memory); }, {}});
    if (result.error.code != ErrorCode::ok) throw std::runtime_error(result.error.message);
    std::cout << result.tasks << '\n';
    return 0;
  }
  throw std::runtime_error("no graph " + name);
}

struct Counted {
  int64_t tasks = 0;
  Profile profile;
};

/// Runs this program under callgrind.
Counted count(Graph graph, int64_t tasks) {
  const fs::path file = fs::temp_directory_path() / ("callgrind." + std::to_string(getpid()));
  std::ostringstream command;
  command << "valgrind --quiet --tool=callgrind --callgrind-out-file=" << file << " "
          << fs::read_symlink("/proc/self/exe") << " --run " << name_of(graph) << " " << tasks;
  FILE* const child = popen(command.str().c_str(), "r");
  if (child == nullptr) throw std::runtime_error("cannot start a process");
  long counted = 0;
  const bool answered = std::fscanf(child, "%ld", &counted) == 1;
  if (pclose(child) != 0 || !answered) {
    throw std::runtime_error(command.str() + " failed; is valgrind installed?");
  }
  std::ifstream text(file);
  Counted result{counted, read_profile(text, PTO2_SOURCE)};
  fs::remove(file);
  return result;
}

PerTask measure(Graph graph) {
  const Counted less = count(graph, few);
  Counted more = count(graph, many);
  const auto tasks = static_cast<double>(more.tasks - less.tasks);
  for (const auto& [layer, instructions] : less.profile) more.profile[layer] -= instructions;
  PerTask result;
  for (const auto& [layer, instructions] : more.profile) {
    const double per_task = static_cast<double>(instructions) / tasks;
    result[all] += per_task;
    if (per_task >= 0.5) result[layer] = per_task;
  }
  return result;
}

using Expected = std::map<std::string, PerTask>;  // by graph

Expected read_expected(const fs::path& file) {
  Expected expected;
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::istringstream row(line);
    std::string graph, layer, figure;
    std::getline(std::getline(std::getline(row, graph, ','), layer, ','), figure);
    expected[graph][layer] = std::stod(figure);
  }
  return expected;
}

void write_expected(const fs::path& file, const Expected& measured) {
  std::ofstream text(file);
  text << "graph,layer,instructions per task\n";
  for (const auto& [graph, layers] : measured) {
    for (const auto& [layer, figure] : layers) {
      text << graph << ',' << layer << ',' << std::llround(figure) << '\n';
    }
  }
  if (!text.flush()) throw std::runtime_error("cannot write " + file.string());
}

/// Prints the table, and what is not as expected. Whether all is.
bool compare(const std::string& graph, const PerTask& measured, PerTask expected) {
  bool as_expected = true;
  for (const auto& [layer, figure] : measured) expected.try_emplace(layer, 0);
  for (const auto& [layer, wanted] : expected) {
    const auto found = measured.find(layer);
    const double figure = found == measured.end() ? 0 : found->second;
    const bool differs = std::abs(figure - wanted) > std::max(tolerance * wanted, least_tolerance);
    std::printf("%-16s %-24s %7.0f%s\n", graph.c_str(), layer.c_str(), figure,
                differs ? (" expected " + std::to_string(std::llround(wanted))).c_str() : "");
    as_expected = as_expected && !differs;
  }
  return as_expected;
}

int measure_all(const std::string& rows, bool update) {
  const fs::path file = fs::path(PTO2_SOURCE) / "bench/instructions.csv";
  const Expected expected = read_expected(file);
  Expected measured;
  bool as_expected = true;
  for (const Graph graph : graphs) {
    const std::string name = name_of(graph);
    measured[name] = measure(graph);
    const auto found = expected.find(name);
    const PerTask& wanted = found == expected.end() ? PerTask() : found->second;
    as_expected = compare(name, measured[name], update ? measured[name] : wanted) && as_expected;
  }
  if (!rows.empty()) {
    std::ofstream out(rows, std::ios::app);
    for (const auto& [graph, layers] : measured) {
      out << nlohmann::json{{"subject", "instructions"}, {"work", graph}, {"per_task", layers}}
          << '\n';
    }
    if (!out.flush()) throw std::runtime_error("cannot write " + rows);
  }
  if (update) write_expected(file, measured);
  if (as_expected) return 0;
  std::cerr << "instructions: not what " << file
            << " expects; if it is meant, write it there with --update\n";
  return 1;
}

int main_of(const std::vector<std::string>& arguments) {
  std::string rows;
  bool update = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--run" && i + 2 < arguments.size()) {
      return run(arguments[i + 1], std::stoll(arguments[i + 2]));
    }
    if (arguments[i] == "--rows" && i + 1 < arguments.size()) {
      rows = arguments[++i];
    } else if (arguments[i] == "--update") {
      update = true;
    } else {
      std::cerr << "usage: instructions_bench [--rows FILE] [--update] | --run GRAPH TASKS\n";
      return 2;
    }
  }
  return measure_all(rows, update);
}

}  // namespace
}  // namespace pto2::bench

int main(int argc, char** argv) {
  try {
    return pto2::bench::main_of({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::cerr << "instructions: " << problem.what() << '\n';
    return 3;
  }
}
