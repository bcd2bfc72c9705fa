/// Launches that are interrupted at any time, on OS threads; a simulation is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <thread>

#include "runtime/judge/judge.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

constexpr uint64_t tasks_of_run = 100;

std::atomic<uint64_t> kernels_begun{0};

void counting_kernel(int64_t* args) {
  hash_kernel(args);
  kernels_begun.fetch_add(1, std::memory_order_relaxed);
}

class Interruptions : public testing::TestWithParam<ExecutorKind> {
 protected:
  RunResult launch(const std::stop_token& stop) {
    static constexpr KernelEntry kernels[] = {counting_kernel};
    kernels_begun = 0;
    DeviceConfig config = small_device();
    config.events = 8192;
    const Launch what{kernels,
                      [this](PTO2Runtime* rt) {
                        graph_.emplace(rt);
                        for (uint64_t i = 0; i < tasks_of_run; ++i) {
                          PTO2_SCOPE(rt) {
                            (void)graph_->task({}, 1, 1000);
                          }
                        }
                      },
                      {},
                      stop};
    RunResult result = launch_on(GetParam(), config, what, 1);
    EXPECT_THAT(result.damaged, testing::IsEmpty()) << result.error.message;
    EXPECT_THAT(judging::problems_of(result.record), testing::IsEmpty());
    return result;
  }

  /// A thread apart interrupts a launch when so many kernels have run.
  RunResult launch_until(uint64_t kernels) {
    std::stop_source source;
    std::atomic<bool> over{false};
    kernels_begun = 0;
    std::jthread interrupter([&] {
      while (kernels_begun.load(std::memory_order_relaxed) < kernels && !over) {
        std::this_thread::yield();
      }
      source.request_stop();
    });
    RunResult result = launch(source.get_token());
    over = true;
    return result;
  }

  std::optional<TaskGraph> graph_;
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Interruptions, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// At its end, too, when the orchestrator has seen that everything is done.
TEST_P(Interruptions, MayComeAtAnyTime) {
  for (uint64_t kernels = 0; kernels <= tasks_of_run; ++kernels) {
    const RunResult result = launch_until(kernels);
    if (is_simulated(GetParam()) || result.error.code == ErrorCode::ok) {
      ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
      ASSERT_EQ(result.tasks, tasks_of_run);
      graph_->verify();
    } else {
      ASSERT_EQ(result.error.code, ErrorCode::interrupted) << result.error.message;
      EXPECT_THAT(result.error.message, testing::HasSubstr("the run was interrupted"));
      EXPECT_EQ(result.phases[0] + result.phases[1] + result.phases[2] + result.phases[3],
                result.tasks);
    }
  }
}

TEST_P(Interruptions, MayComeBeforeTheBegin) {
  std::stop_source source;
  source.request_stop();
  const RunResult result = launch(source.get_token());
  const bool goes_on = is_simulated(GetParam());
  EXPECT_EQ(result.error.code, goes_on ? ErrorCode::ok : ErrorCode::interrupted);
  EXPECT_EQ(result.completions, goes_on ? tasks_of_run : 0);
}

constexpr uint32_t parts_before_the_stop = 10;

struct StoppedParts {
  std::atomic<uint32_t> begun{0};
  std::atomic<bool> stopped{false};
};

/// Parameter: the StoppedParts. The tenth part lasts until the run has been stopped, and so do
/// those after it.
void stopped_part(int64_t* args) {
  auto& parts = *reinterpret_cast<StoppedParts*>(args[0]);
  if (++parts.begun < parts_before_the_stop) return;
  while (!parts.stopped) std::this_thread::yield();
}

/// Each host is among the parts, and no scheduler has a turn before it is out of them.
TEST(PackedInterruptions, EndABlockTaskWithThePartsThatRun) {
  static constexpr KernelEntry kernels[] = {stopped_part};
  for (const uint32_t hosts : {1u, 2u}) {
    StoppedParts parts;
    std::stop_source source;
    std::jthread interrupter([&] {
      while (parts.begun < parts_before_the_stop) std::this_thread::yield();
      source.request_stop();
      parts.stopped = true;
    });
    DeviceConfig config = small_device();
    config.chip.clusters = 2;
    config.events = 8192;
    const Launch what{kernels,
                      [&](PTO2Runtime* rt) {
                        submit_block(rt, {make_scalar_param(reinterpret_cast<uint64_t>(&parts))},
                                     1000);
                      },
                      {},
                      source.get_token()};
    const RunResult result = launch(config, executors::TeamOptions{.host_threads = hosts}, what);
    EXPECT_EQ(result.error.code, ErrorCode::interrupted) << result.error.message;
    EXPECT_LT(parts.begun, parts_before_the_stop + hosts);
    EXPECT_EQ(result.completions, 0u);
    EXPECT_THAT(result.damaged, testing::IsEmpty()) << result.error.message;
    EXPECT_THAT(judging::problems_of(result.record), testing::IsEmpty());
  }
}

}  // namespace
}  // namespace pto2::test
