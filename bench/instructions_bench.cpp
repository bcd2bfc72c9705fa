/// Instructions per task, as callgrind counts them: without a clock, so without noise.
///
///   instructions_bench [--rows FILE] [--update]    measures each graph and compares with
///                                                  bench/instructions.csv, or writes that
///   instructions_bench --run GRAPH TASKS           what is measured: runs the graph on one host
///                                                  thread, and prints how many tasks it had
///   instructions_bench --replay GRAPH TASKS RUNS   the same of that many runs of one graph, behind
///                                                  the one that records it
///
/// What a task costs is the difference of two runs, of few tasks and of many, by the difference of
/// their tasks: launches are not in it. Of a graph that is replayed, what is recorded is not in it
/// either: each of the two is the difference of more runs and fewer. It says where the instructions
/// are, by layer (callgrind_profile.hpp).
///
/// Exit code: that of check_figures() (expected.hpp). The figures are those of the release preset
/// with GCC 12 on x86-64; another compiler has others.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "bench/callgrind_profile.hpp"
#include "bench/expected.hpp"
#include "bench/graphs.hpp"
#include "bench/program.hpp"
#include "runtime/device/device.hpp"
#include "runtime/orchestrator/recorded_graph.hpp"

namespace pto2::bench {
namespace {

namespace fs = std::filesystem;

constexpr int64_t few = 2'000;
constexpr int64_t many = 6'000;

void empty_kernel(int64_t*) {}

Graph graph_of(const std::string& name) {
  for (const Graph graph : graphs) {
    if (name == name_of(graph)) return graph;
  }
  throw std::runtime_error("no graph " + name);
}

/// Returns how many tasks it had.
uint64_t run(Graph graph, int64_t tasks, GraphMemory& memory, RecordedGraph* recorded = nullptr) {
  static constexpr KernelEntry kernels[] = {empty_kernel};
  DeviceConfig config;
  config.window = 1024;
  Launch what{kernels, [&](PTO2Runtime* rt) { submit(rt, graph, tasks, memory); }, {}};
  what.graph = recorded;
  const RunResult result = launch(config, executors::TeamOptions{.host_threads = 1}, what);
  if (result.error.code != ErrorCode::ok) throw std::runtime_error(result.error.message);
  return result.tasks;
}

int run_once(const std::string& name, int64_t tasks) {
  GraphMemory memory;
  std::cout << run(graph_of(name), tasks, memory) << '\n';
  return 0;
}

int replay(const std::string& name, int64_t tasks_of_run, int64_t runs) {
  GraphMemory memory;
  RecordedGraph recorded;
  run(graph_of(name), tasks_of_run, memory, &recorded);
  uint64_t tasks = 0;
  for (int64_t i = 0; i < runs; ++i) {
    tasks += run(graph_of(name), tasks_of_run, memory, &recorded);
    if (recorded.use().kind != GraphUse::Kind::replayed) throw std::runtime_error("not replayed");
  }
  std::cout << tasks << '\n';
  return 0;
}

struct Counted {
  int64_t tasks = 0;
  Profile profile;
};

/// Runs this program under callgrind.
Counted count(const std::string& arguments) {
  const fs::path file = fs::temp_directory_path() / ("callgrind." + std::to_string(getpid()));
  std::ostringstream command;
  command << "valgrind --quiet --tool=callgrind --callgrind-out-file=" << file << " "
          << fs::read_symlink("/proc/self/exe") << " " << arguments;
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

/// What one has more than the other.
Counted difference(const Counted& less, Counted more) {
  more.tasks -= less.tasks;
  for (const auto& [layer, instructions] : less.profile) more.profile[layer] -= instructions;
  return more;
}

PerTask per_task(const Counted& counted) {
  PerTask result;
  for (const auto& [layer, instructions] : counted.profile) {
    const double share = static_cast<double>(instructions) / static_cast<double>(counted.tasks);
    result[all] += share;
    if (share >= 0.5) result[layer] = share;
  }
  return result;
}

PerTask measure(Graph graph) {
  const auto run_of = [&](int64_t tasks) {
    return fmt::format("--run {} {}", name_of(graph), tasks);
  };
  return per_task(difference(count(run_of(few)), count(run_of(many))));
}

PerTask measure_replayed(Graph graph) {
  const auto once = [&](int64_t tasks) {
    const auto runs = [&](int n) {
      return count(fmt::format("--replay {} {} {}", name_of(graph), tasks, n));
    };
    return difference(runs(1), runs(2));
  };
  return per_task(difference(once(few), once(many)));
}

Expectation expectation() {
  return {.subject = "instructions",
          .file = PTO2_SOURCE "/bench/instructions.csv",
          .headings = "graph,layer,instructions per task",
          .decimals = 0,
          .tolerance = 0.02,
          .least_tolerance = 4};
}

int main_of(const std::vector<std::string>& arguments) {
  if (arguments.size() == 3 && arguments[0] == "--run") {
    return run_once(arguments[1], std::stoll(arguments[2]));
  }
  if (arguments.size() == 4 && arguments[0] == "--replay") {
    return replay(arguments[1], std::stoll(arguments[2]), std::stoll(arguments[3]));
  }
  FigureOptions options;
  if (!parse(arguments, options)) {
    std::cerr << "usage: instructions_bench [--rows FILE] [--update]"
                 " | --run GRAPH TASKS | --replay GRAPH TASKS RUNS\n";
    return 2;
  }
  std::vector<Work> works;
  for (const Graph graph : graphs) {
    works.push_back({name_of(graph), [graph] { return measure(graph); }});
    works.push_back(
        {name_of(graph) + std::string("/replayed"), [graph] { return measure_replayed(graph); }});
  }
  return check_figures(expectation(), options, works);
}

}  // namespace
}  // namespace pto2::bench

int main(int argc, char** argv) {
  return pto2::bench::run_program("instructions", [&] {
    return pto2::bench::main_of({argv + 1, argv + argc});
  });
}
