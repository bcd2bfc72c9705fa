/// Nanoseconds per task with empty kernels, next to OpenMP's depend clauses.
///
///   whole/GRAPH/TASKS    from launch to result, packed, window 1024; OpenMP with
///                        the same number of threads runs the same graph in each iteration
///   replay/GRAPH/TASKS   the same of a graph that was recorded; the peer infers it each time
///   fan_out/GRAPH        the same for the two fan-outs, lock against word
///   submit/GRAPH/TASKS   the orchestration alone, on one host thread: without its waits and what
///                        runs while it gives way; the peer is OpenMP's whole cost on one thread
///   memory/TASKS         peak memory of the process after its runs of this size and of all before;
///                        listed first, before OpenMP has allocated any
///   launch               one empty task from launch to result
///   hop                  a dependent task on another core of the chip
///   block/N              a part of a block task of N parts, from launch to result; the peer is the
///                        expansion, a task per part
///   block_row/N          the same in rows of four, each of which reads what the one before wrote
///
/// OpenMP's depend clauses take time and memory that grow with the square of the stencil (30 s and
/// 1.2 GB for 10^5 tasks on one thread, more than 15 GB for 10^6), so that as a peer it runs at
/// most most_of_openmp() tasks of it; the row says so with "peer_tasks", the text with a label.
///
/// Every row records the time of a cache line's way between two CPUs and back, measured in the
/// same iteration: on shared hosts it flips, and everything moves with it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "bench/graphs.hpp"
#include "bench/median.hpp"
#include "bench/openmp_graphs.hpp"
#include "bench/rows.hpp"
#include "runtime/device/lock_device.hpp"
#include "runtime/orchestrator/recorded_graph.hpp"
#include "runtime/output/peak_memory.hpp"

namespace pto2::bench {
namespace {

Rows rows;

void empty_kernel(int64_t*) {}

constexpr KernelEntry kernels[] = {empty_kernel};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Nanoseconds of a cache line's round trip between two threads.
double ping_ns() {
  constexpr int rounds = 20'000;
  alignas(64) std::atomic<int> turn{0};
  const auto begin = std::chrono::steady_clock::now();
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      for (int spins = 0; turn.load(std::memory_order_acquire) != 2 * i + 1; ++spins) {
        if (spins % 1024 == 1023) std::this_thread::yield();
      }
      turn.store(2 * i + 2, std::memory_order_release);
    }
  });
  for (int i = 0; i < rounds; ++i) {
    turn.store(2 * i + 1, std::memory_order_release);
    for (int spins = 0; turn.load(std::memory_order_acquire) != 2 * i + 2; ++spins) {
      if (spins % 1024 == 1023) std::this_thread::yield();
    }
  }
  const double seconds = seconds_since(begin);
  other.join();
  return seconds / rounds * 1e9;
}

void expect_ok(const RunResult& result) {
  if (result.error.code != ErrorCode::ok) throw std::runtime_error(result.error.message);
}

struct Measured {
  uint64_t tasks;
  double seconds;
  double submit_seconds;
};

/// `submit_all(rt, memory)` is the orchestration.
template <class SubmitAll>
RunResult run_graph(const DeviceConfig& config, uint32_t hosts, SubmitAll&& submit_all,
                    RecordedGraph* recorded = nullptr) {
  static GraphMemory memory;
  Launch what{kernels, [&](PTO2Runtime* rt) { submit_all(rt, memory); }, {}};
  what.graph = recorded;
  const bool locks = config.fan_out == FanOutKind::lock;
  const RunResult result = (locks ? launch_with_lock : launch)(
      config, executors::TeamOptions{.host_threads = hosts, .may_join = true}, what);
  expect_ok(result);
  return result;
}

Measured run_ours(const DeviceConfig& config, uint32_t hosts, Graph graph, int64_t tasks,
                  RecordedGraph* recorded = nullptr) {
  double submit_seconds = 0;
  const auto submit_all = [&](PTO2Runtime* rt, GraphMemory& memory) {
    const auto begin = std::chrono::steady_clock::now();
    submit(rt, graph, tasks, memory);
    submit_seconds = seconds_since(begin);
  };
  const RunResult result = run_graph(config, hosts, submit_all, recorded);
  return {result.tasks, static_cast<double>(result.wall_ns) * 1e-9,
          submit_seconds - static_cast<double>(result.wait_ticks) * 1e-9};
}

uint32_t host_threads() {
  return std::min(2u, executors::usable_cpus());
}

/// Most tasks of the graph that OpenMP is measured with, and asked for the same time per task.
int64_t most_of_openmp(Graph graph, int64_t tasks) {
  return graph == Graph::stencil ? std::min<int64_t>(tasks, 10'000) : tasks;
}

/// Interleaved pairs of `ours` and `peer`, each returning nanoseconds per task.
template <class Ours, class Peer>
void run_pairs(benchmark::State& state, const std::string& work, const char* peer_name, Ours&& ours,
               Peer&& peer) {
  std::vector<double> own, others, ratios, pings;
  for (auto _ : state) {
    const double ns = ours();
    const double peer_ns = peer();
    own.push_back(ns);
    others.push_back(peer_ns);
    ratios.push_back(ns / peer_ns);
    pings.push_back(ping_ns());
    state.SetIterationTime(ns * 1e-9);
  }
  state.counters["ns"] = median(own);
  state.counters["peer_ns"] = median(others);
  state.counters["ratio"] = median(ratios);
  state.counters["ping_ns"] = median(pings);
  rows.push_back({{"subject", "runtime"},
                  {"work", work},
                  {"ns", median(own)},
                  {"peer", peer_name},
                  {"peer_ns", median(others)},
                  {"ratio", median(ratios)},
                  {"ping_ns", median(pings)}});
}

double whole_ns(Graph graph, int64_t tasks, FanOutKind fan_out, RecordedGraph* recorded = nullptr) {
  DeviceConfig config;
  config.window = 1024;
  config.fan_out = fan_out;
  const Measured run = run_ours(config, host_threads(), graph, tasks, recorded);
  return run.seconds / static_cast<double>(run.tasks) * 1e9;
}

/// Nanoseconds per task, with at most most_of_openmp() tasks.
double openmp_ns(Graph graph, int64_t tasks, uint32_t threads) {
  const auto begin = std::chrono::steady_clock::now();
  const int64_t count = run_openmp(graph, most_of_openmp(graph, tasks), static_cast<int>(threads));
  return seconds_since(begin) / static_cast<double>(count) * 1e9;
}

/// Says in the text and in the row that was added last if OpenMP ran fewer tasks.
void tell_bound(benchmark::State& state, Graph graph, int64_t tasks) {
  const int64_t most = most_of_openmp(graph, tasks);
  if (most == tasks) return;
  rows.back()["peer_tasks"] = most;
  state.SetLabel("openmp: " + std::to_string(most) + " tasks, it grows quadratically");
}

void whole(benchmark::State& state, Graph graph, int64_t tasks) {
  run_pairs(
      state, "whole/" + std::string(name_of(graph)) + "/" + std::to_string(tasks), "openmp",
      [&] { return whole_ns(graph, tasks, FanOutKind::word); },
      [&] { return openmp_ns(graph, tasks, host_threads()); });
  tell_bound(state, graph, tasks);
}

void replay(benchmark::State& state, Graph graph, int64_t tasks) {
  RecordedGraph recorded;
  whole_ns(graph, tasks, FanOutKind::word, &recorded);
  run_pairs(
      state, "replay/" + std::string(name_of(graph)) + "/" + std::to_string(tasks), "inferred",
      [&] {
        const double ns = whole_ns(graph, tasks, FanOutKind::word, &recorded);
        if (recorded.use().kind != GraphUse::Kind::replayed)
          throw std::runtime_error("not replayed");
        return ns;
      },
      [&] { return whole_ns(graph, tasks, FanOutKind::word); });
}

void fan_out(benchmark::State& state, Graph graph) {
  constexpr int64_t tasks = 100'000;
  run_pairs(
      state, "fan_out_word/" + std::string(name_of(graph)), "fan_out_lock",
      [&] { return whole_ns(graph, tasks, FanOutKind::word); },
      [&] { return whole_ns(graph, tasks, FanOutKind::lock); });
}

void submit_alone(benchmark::State& state, Graph graph, int64_t tasks) {
  DeviceConfig config;
  config.window = 1024;
  run_pairs(
      state, "submit/" + std::string(name_of(graph)) + "/" + std::to_string(tasks),
      "openmp_one_thread",
      [&] {
        const Measured run = run_ours(config, 1, graph, tasks);
        return run.submit_seconds / static_cast<double>(run.tasks) * 1e9;
      },
      [&] { return openmp_ns(graph, tasks, 1); });
  tell_bound(state, graph, tasks);
}

void memory(benchmark::State& state, int64_t tasks) {
  for (auto _ : state) {
    state.SetIterationTime(whole_ns(Graph::paged_attention, tasks, FanOutKind::word) * 1e-9);
  }
  const uint64_t bytes = pto2::peak_memory();
  state.counters["peak_rss_mib"] = static_cast<double>(bytes) / (1 << 20);
  rows.push_back({{"subject", "runtime"},
                  {"work", "memory/" + std::to_string(tasks)},
                  {"peak_rss_bytes", bytes}});
}

/// Nanoseconds of a launch of one empty task, the median of nine in a row: the first ones of a
/// process find its memory cold, as a launch after another kind does.
double launch_ns(const LaunchTeam& team) {
  const Launch what{
      kernels,
      [](PTO2Runtime* rt) { pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0); },
      {}};
  std::vector<double> walls;
  for (int i = 0; i < 9; ++i) {
    const RunResult result = launch({}, team, what);
    expect_ok(result);
    walls.push_back(static_cast<double>(result.wall_ns));
  }
  return median(std::move(walls));
}

void launch_one(benchmark::State& state) {
  run_pairs(
      state, "launch/packed", "threads",
      [] { return launch_ns(executors::TeamOptions{.may_join = true}); },
      [] { return launch_ns(executors::TeamOptions{.executor = executors::Executor::threads}); });
}

double part_ns(BlockForm form, int32_t block_dim, int calls) {
  constexpr int64_t parts = 384 * 1024;  // so many that the launch does not count
  DeviceConfig config;
  config.window = 1024;
  const RunResult result =
      run_graph(config, host_threads(), [&](PTO2Runtime* rt, GraphMemory& memory) {
        submit_blocks(rt, form, parts, block_dim, calls, memory);
      });
  return static_cast<double>(result.wall_ns) / static_cast<double>(result.fins);
}

void block(benchmark::State& state, const std::string& work, int32_t block_dim, int calls) {
  run_pairs(
      state, work, "expansion", [=] { return part_ns(BlockForm::task, block_dim, calls); },
      [=] { return part_ns(BlockForm::expansion, block_dim, calls); });
}

void hop(benchmark::State& state) {
  constexpr int64_t tasks = 50'000;
  run_pairs(
      state, "hop", "openmp", [] { return whole_ns(Graph::chain, tasks, FanOutKind::word); },
      [] { return openmp_ns(Graph::chain, tasks, host_threads()); });
}

void register_all() {
  const auto add = [](const std::string& name, auto&& function) {
    benchmark::RegisterBenchmark(name.c_str(), function)
        ->UseManualTime()
        ->Iterations(7)
        ->Unit(benchmark::kNanosecond);
  };
  constexpr Graph graphs[] = {Graph::independent, Graph::chain, Graph::stencil,
                              Graph::paged_attention};
  for (const int64_t tasks : {10'000, 100'000, 1'000'000}) {
    add("memory/" + std::to_string(tasks),
        [tasks](benchmark::State& state) { memory(state, tasks); });
  }
  for (const int64_t tasks : {10'000, 100'000, 1'000'000}) {
    for (const Graph graph : graphs) {
      add("whole/" + std::string(name_of(graph)) + "/" + std::to_string(tasks),
          [graph, tasks](benchmark::State& state) { whole(state, graph, tasks); });
    }
  }
  for (const Graph graph : graphs) {
    add("replay/" + std::string(name_of(graph)) + "/100000",
        [graph](benchmark::State& state) { replay(state, graph, 100'000); });
    add("fan_out/" + std::string(name_of(graph)),
        [graph](benchmark::State& state) { fan_out(state, graph); });
  }
  add("launch", launch_one);
  add("hop", hop);
  for (const int32_t block_dim : {1, 4, 24, 96}) {
    for (const int calls : {1, 4}) {
      const std::string work = (calls == 1 ? "block/" : "block_row/") + std::to_string(block_dim);
      add(work, [=](benchmark::State& state) { block(state, work, block_dim, calls); });
    }
  }
  for (const int64_t tasks : {10'000, 100'000, 1'000'000}) {
    for (const Graph graph : graphs) {
      add("submit/" + std::string(name_of(graph)) + "/" + std::to_string(tasks),
          [graph, tasks](benchmark::State& state) { submit_alone(state, graph, tasks); });
    }
  }
}

}  // namespace
}  // namespace pto2::bench

int main(int argc, char** argv) {
  pto2::bench::register_all();
  return pto2::bench::run_with_rows(argc, argv, pto2::bench::rows);
}
