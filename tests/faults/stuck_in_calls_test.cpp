/// Kernels that call the runtime for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "runtime/include/pto_core_calls.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class StuckInCalls : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// Two of them at the same time are left, and the next run is right.
  static void expect_left(KernelEntry kernel) {
    const KernelEntry kernels[] = {kernel};
    DeviceConfig config = small_device();
    config.deadline_ms = 300;
    const auto entry = [](PTO2Runtime* rt) {
      pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 2);
    };
    const RunResult result = run_at(GetParam(), config, {kernels, entry, {}});
    EXPECT_EQ(result.error.code, ErrorCode::scheduler_timeout) << result.error.message;
    EXPECT_THAT(result.error.message, HasSubstr("has not returned for 0.3 s, in "));
    EXPECT_THAT(result.damaged, IsEmpty());
    expect_graph(GetParam(), small_device(), [](TaskGraph& graph) { graph.task({}); });
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, StuckInCalls,
                         testing::Values(ExecutorKind::packed, ExecutorKind::threads,
                                         ExecutorKind::seeded),
                         [](const auto& test) { return executor_name(test.param); });

auto never = [] { return false; };

/// Whatever they are told.
TEST_P(StuckInCalls, KernelsThatWaitAgainAndAgainAreLeft) {
  expect_left([](int64_t* args) {
    for (;;) pto_wait(args, never);
  });
}

TEST_P(StuckInCalls, KernelsThatPauseAgainAndAgainAreLeft) {
  expect_left([](int64_t* args) {
    for (;;) pto_pause(args, never);
  });
}

/// What guards the answers is not held by one that was left.
TEST_P(StuckInCalls, KernelsThatAskForEverAreLeft) {
  expect_left([](int64_t* args) {
    for (;;) static_cast<void>(pto_place(args));
  });
  expect_left([](int64_t* args) {
    for (;;) pto_announce(args);
  });
  expect_left([](int64_t* args) {
    for (;;) pto_share(args, 0, 1, 64);
  });
}

/// How the waits of a kernel end that goes on when another one has failed.
struct AfterAFailure {
  void note(PTOWaited ended) {
    if (ended == PTOWaited::GIVEN_UP) ++given_up;
    if (ended != PTOWaited::GIVEN_UP && given_up != 0) ++others;
  }

  std::atomic<bool> waits{false};
  std::atomic<uint64_t> given_up{0};
  std::atomic<uint64_t> others{0};  // behind those
};
AfterAFailure* after = nullptr;

void fail_beside_another(int64_t* args) {
  auto waits = [] { return after->waits.load(); };
  (void)pto_wait(args, waits);
  throw std::runtime_error("it fails");
}

/// Also behind the deadline, when they end at once.
TEST_P(StuckInCalls, WaitsOfARunThatIsGivenUpSaySo) {
  const auto expect_given_up = [](KernelEntry kernel) {
    AfterAFailure noted;
    after = &noted;
    const KernelEntry kernels[] = {fail_beside_another, kernel};
    DeviceConfig config = small_device();
    config.deadline_ms = 300;
    const auto entry = [](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
      pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, nullptr, 0);
    };
    const RunResult result = run_at(GetParam(), config, {kernels, entry, {}});
    EXPECT_EQ(result.error.code, ErrorCode::kernel_threw) << result.error.message;
    EXPECT_GE(noted.given_up, 1U);
    EXPECT_EQ(noted.others, 0U);
  };
  expect_given_up([](int64_t* args) {
    after->waits = true;
    pto_announce(args);
    for (;;) after->note(pto_wait(args, never));
  });
  expect_given_up([](int64_t* args) {
    after->waits = true;
    pto_announce(args);
    for (;;) after->note(pto_pause(args, never));
  });
}

}  // namespace
}  // namespace pto2::test
