/// Runs one after the other in a process, of which each may have the memory of the one before:
/// none finds there what another has left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <optional>
#include <vector>

#include "runtime/executors/kept_memory.hpp"
#include "runtime/executors/vyukov_queue.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// Every array that is kept is large enough for it, and small enough to be looked at as a whole.
DeviceConfig kept_device() {
  DeviceConfig config = small_device();
  config.window = 8192;
  config.heap_bytes = 1 << 20;
  config.dep_pool = 8192;
  config.tensormap_pool = 4096;
  config.tensormap_buckets = 16384;
  config.orchestrator_queue = 8192;
  return config;
}

void parts_kernel(int64_t* args) {
  reinterpret_cast<std::atomic<uint32_t>*>(args[0])->fetch_add(1, std::memory_order_relaxed);
}

void throwing_kernel(int64_t*) {
  throw 1;
}

class KeptMemoryOfRuns : public testing::TestWithParam<ExecutorKind> {
 protected:
  KeptMemoryOfRuns() { memory().release(); }
  ~KeptMemoryOfRuns() override { memory().release(); }

  static KeptMemory& memory() { return KeptMemory::of_process(); }

  RunResult run(const std::function<void(TaskGraph&)>& build) {
    static constexpr KernelEntry kernels[] = {hash_kernel, parts_kernel, throwing_kernel};
    graph_.reset();
    return launch_on(GetParam(), kept_device(),
                     {kernels,
                      [&](PTO2Runtime* rt) {
                        graph_.emplace(rt);
                        build(*graph_);
                      },
                      {}},
                     7);
  }

  /// Something in each array: a scope of each depth, edges, outputs, buffers of others, and tasks
  /// in parts.
  void build_all(TaskGraph& graph, int rounds) {
    externals_.assign(static_cast<std::size_t>(rounds), 0);
    for (int i = 0; i < rounds; ++i) {
      PTO2_SCOPE(graph.runtime()) {
        const Value value = graph.task({});
        PTO2_SCOPE(graph.runtime()) {
          const Value other = graph.task({value}, 3);
          PTO2_SCOPE(graph.runtime()) {
            (void)graph.task({value, other});
            Value memory = graph.external(&externals_[static_cast<std::size_t>(i)]);
            graph.update(memory, {other});
          }
        }
      }
      submit_parts(graph);
    }
  }

  void submit_parts(TaskGraph& graph) {
    const PTOParam counter = make_scalar_param(reinterpret_cast<uint64_t>(&parts_));
    PTO2_SCOPE(graph.runtime()) {
      pto2_rt_submit_block_task(graph.runtime(), 1, PTO2_WORKER_VECTOR, &counter, 1, 4);
    }
  }

  /// A run that ended well has left all arrays, and they are clear: nine for each of four rings,
  /// and one of the map, and the records of tensors.
  void expect_kept() {
    EXPECT_EQ(memory().blocks(), 40U);
    EXPECT_TRUE(memory().invariant_holds());
  }

  void expect_small_run(const RunResult& fresh) {
    const RunResult result = run([this](TaskGraph& graph) { build_all(graph, 3); });
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    graph_->verify();
    EXPECT_EQ(result.tasks, fresh.tasks);
    EXPECT_EQ(result.completions, fresh.completions);
    EXPECT_EQ(result.fins, fresh.fins);
    EXPECT_EQ(result.points, fresh.points) << "of a simulation: the same steps";
  }

  std::optional<TaskGraph> graph_;
  std::vector<uint64_t> externals_;
  std::atomic<uint32_t> parts_{0};
};

INSTANTIATE_TEST_SUITE_P(Everywhere, KeptMemoryOfRuns, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(KeptMemoryOfRuns, EachStartsWithClearMemory) {
  const RunResult fresh = run([this](TaskGraph& graph) { build_all(graph, 3); });
  ASSERT_EQ(fresh.error.code, ErrorCode::ok) << fresh.error.message;
  expect_kept();
  expect_small_run(fresh);
  expect_kept();
  const RunResult large = run([this](TaskGraph& graph) { build_all(graph, 200); });
  ASSERT_EQ(large.error.code, ErrorCode::ok) << large.error.message;
  graph_->verify();
  expect_kept();
  expect_small_run(fresh);
  const RunResult failed = run([](TaskGraph& graph) {
    (void)graph.task({});
    pto2_rt_submit_task(graph.runtime(), 2, PTO2_WORKER_CUBE, nullptr, 0);
  });
  ASSERT_EQ(failed.error.code, ErrorCode::kernel_threw);
  EXPECT_TRUE(memory().invariant_holds());
  expect_small_run(fresh);
  expect_kept();
}

/// Rings that went round: no more is cleared, and no less, than all of them.
TEST_P(KeptMemoryOfRuns, RingsThatWentRoundAreClear) {
  if (is_simulated(GetParam())) GTEST_SKIP() << "so many tasks take long there";
  const RunResult result = run([](TaskGraph& graph) {
    for (int i = 0; i < 20'000; ++i) {
      PTO2_SCOPE(graph.runtime()) {
        const Value value = graph.task({});
        (void)graph.task({value});
      }
    }
  });
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  graph_->verify();
  expect_kept();
}

/// The second run of a graph finds the pages of the first where it needs them. A sanitizer has
/// pages of its own for each.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_P(KeptMemoryOfRuns, ARingGetsWhatItHad) {
  if (is_simulated(GetParam())) GTEST_SKIP() << "so many tasks take long there";
  const auto faults_of_a_run = [this] {
    const auto faults = [] {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      return usage.ru_minflt;
    };
    const auto before = faults();
    const RunResult result = run([this](TaskGraph& graph) {
      const PTOParam counter = make_scalar_param(reinterpret_cast<uint64_t>(&parts_));
      PTO2_SCOPE(graph.runtime()) {
        for (int i = 0; i < 8000; ++i) {
          pto2_rt_submit_task(graph.runtime(), 1, PTO2_WORKER_VECTOR, &counter, 1);
        }
      }
    });
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    return faults() - before;
  };
  const auto first = faults_of_a_run();
  const auto second = faults_of_a_run();
  // Those behind it say what a run costs in any case.
  const auto third = faults_of_a_run();
  EXPECT_LT(second, third + first / 4) << first << ", " << second << ", " << third;
}
#endif

/// What a run that was given up has left is looked at by nobody.
TEST_P(KeptMemoryOfRuns, NothingIsKeptOfARunThatFailed) {
  const RunResult threw = run([](TaskGraph& graph) {
    for (int i = 0; i < 100; ++i) (void)graph.task({});
    pto2_rt_submit_task(graph.runtime(), 2, PTO2_WORKER_CUBE, nullptr, 0);
  });
  ASSERT_EQ(threw.error.code, ErrorCode::kernel_threw);
  EXPECT_EQ(memory().blocks(), 0U);
  const RunResult deadlocked = run([](TaskGraph& graph) {
    for (int i = 0; i < 5000; ++i) (void)graph.task({}, 1000);
  });
  ASSERT_EQ(deadlocked.error.code, ErrorCode::heap_ring_deadlock);
  EXPECT_EQ(memory().blocks(), 0U);
}

/// Nor of its queues: it has taken those that were kept.
TEST_P(KeptMemoryOfRuns, QueuesOfARunThatEndedWellAreKept) {
  if (is_simulated(GetParam())) GTEST_SKIP() << "simulations make theirs";
  const auto entries = [] { return executors::VyukovQueue<SlotId>::Kept::of_process().entries(); };
  const auto run_all = [this] { return run([this](TaskGraph& graph) { build_all(graph, 3); }); };
  ASSERT_EQ(run_all().error.code, ErrorCode::ok);
  const std::size_t kept = entries();
  ASSERT_EQ(run_all().error.code, ErrorCode::ok);
  graph_->verify();
  EXPECT_EQ(entries(), kept);
  const RunResult threw = run([](TaskGraph& graph) {
    pto2_rt_submit_task(graph.runtime(), 2, PTO2_WORKER_CUBE, nullptr, 0);
  });
  ASSERT_EQ(threw.error.code, ErrorCode::kernel_threw);
  EXPECT_LT(entries(), kept);
  ASSERT_EQ(run_all().error.code, ErrorCode::ok);
  EXPECT_EQ(entries(), kept);
}

}  // namespace
}  // namespace pto2::test
