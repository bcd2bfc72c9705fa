#include "bench/cache_lines.hpp"

#include <stdexcept>

#include "bench/ledger.hpp"
#include "core/task_word.hpp"
#include "runtime/device/launch_on.hpp"
#include "runtime/executors/hardware.hpp"
#include "runtime/orchestrator/orchestrator_impl.hpp"
#include "runtime/orchestrator/submitter_impl.hpp"
#include "runtime/scheduler/scheduler_impl.hpp"

namespace pto2::bench {
namespace {

using executors::Hardware;

// The lines of a run are those of the hardware policy.
static_assert(sizeof(RuntimeSlot<Ledger, TaskWord>) == sizeof(RuntimeSlot<Hardware, TaskWord>));
static_assert(sizeof(DependencyNode<Ledger>) == sizeof(DependencyNode<Hardware>));
static_assert(sizeof(Ledger::cell<TaskArguments>) == sizeof(Hardware::cell<TaskArguments>));
static_assert(sizeof(CoreMailbox<Ledger, DispatchPayload<Ledger>>) ==
              sizeof(CoreMailbox<Hardware, DispatchPayload<Hardware>>));

/// Few tasks fill the window some times over: what more tasks cost is what they cost in the middle
/// of a run.
constexpr uint32_t window = 256;
constexpr int64_t few = 1000;
constexpr int64_t many = 3000;
constexpr uint64_t seeds = 10;

constexpr double least_shown = 0.01;  // transfers per task of a structure

void empty_kernel(int64_t*) {}

/// With arrays that are no larger than they need to be: a launch makes them all.
DeviceConfig small_device() {
  DeviceConfig config;
  config.window = window;
  config.dep_pool = 4096;
  config.tensormap_pool = 4096;
  config.tensormap_buckets = 1024;
  config.shard_capacity = window;
  config.orchestrator_queue = window;
  return config;
}

/// A step of a thread is one access or two. None comes behind a store by itself: seeds draw how
/// many do, which makes their figures differ more than anything else.
executors::SeededOptions schedule(KernelTime kernels, uint64_t seed) {
  executors::SeededOptions options;
  options.seed = seed;
  options.strategy = executors::Strategy::random;
  options.stores_per_point = 0;
  options.kernels_last = kernels == KernelTime::until_idle;
  return options;
}

PerTask measure(Graph graph, KernelTime kernels) {
  int64_t tasks = 0;
  Transfers transfers;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const CountedLaunch less = count_transfers(graph, kernels, few, seed);
    const CountedLaunch more = count_transfers(graph, kernels, many, seed);
    tasks += more.tasks - less.tasks;
    for (const auto& [structure, count] : more.transfers) transfers[structure] += count;
    for (const auto& [structure, count] : less.transfers) transfers[structure] -= count;
  }
  PerTask result;
  for (const auto& [structure, count] : transfers) {
    const double per_task = static_cast<double>(count) / static_cast<double>(tasks);
    result[all] += per_task;
    if (per_task >= least_shown) result[structure] = per_task;
  }
  return result;
}

}  // namespace

Expectation cache_lines_expectation() {
  return {.subject = "cache_lines",
          .file = PTO2_SOURCE "/bench/cache_lines.csv",
          .headings = "graph,structure,lines per task",
          .decimals = 2,
          .tolerance = 0.05,
          .least_tolerance = 0.05};
}

CountedLaunch count_transfers(Graph graph, KernelTime kernels, int64_t tasks, uint64_t seed) {
  static constexpr KernelEntry entries[] = {empty_kernel};
  GraphMemory memory;
  CacheLedger ledger;
  const RunResult result = launch_on<Ledger, TaskWord>(
      FanOutKind::word, small_device(), {schedule(kernels, seed), &ledger},
      {entries, [&](PTO2Runtime* rt) { submit(rt, graph, tasks, memory); }, {}});
  if (result.error.code != ErrorCode::ok) throw std::runtime_error(result.error.message);
  return {static_cast<int64_t>(result.tasks), ledger.transfers()};
}

std::vector<Work> cache_lines_works() {
  std::vector<Work> works;
  for (const Graph graph : graphs) {
    const std::string name = name_of(graph);
    works.push_back({name, [graph] { return measure(graph, KernelTime::none); }});
    works.push_back({name + "/long", [graph] { return measure(graph, KernelTime::until_idle); }});
  }
  return works;
}

}  // namespace pto2::bench
