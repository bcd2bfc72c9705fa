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
/// Exit code: that of check_figures() (expected.hpp). The figures are those of the release preset
/// with GCC 12 on x86-64; another compiler has others.
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

namespace pto2::bench {
namespace {

namespace fs = std::filesystem;

constexpr int64_t few = 2'000;
constexpr int64_t many = 6'000;

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
    return run(arguments[1], std::stoll(arguments[2]));
  }
  FigureOptions options;
  if (!parse(arguments, options)) {
    std::cerr << "usage: instructions_bench [--rows FILE] [--update] | --run GRAPH TASKS\n";
    return 2;
  }
  std::vector<Work> works;
  for (const Graph graph : graphs) {
    works.push_back({name_of(graph), [graph] { return measure(graph); }});
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
