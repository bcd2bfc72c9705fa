/// Kernels that do more than look when they are asked whether what they wait for holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <stdexcept>
#include <thread>

#include "runtime/include/pto_core_calls.h"
#include "stress/hang_guard.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::asked {
namespace {

/// Of what two kernels tell each other. They are all of a run.
std::atomic<int> first{0};
std::atomic<int> second{0};
std::atomic<int> ended{0};

void tell(const int64_t* args, std::atomic<int>& number) {
  number.store(1, std::memory_order_release);
  pto_announce(args);
}

bool is_told(const std::atomic<int>& number) {
  return number.load(std::memory_order_acquire) == 1;
}

PTOWaited wait_for(const int64_t* args, const std::atomic<int>& number) {
  auto holds = [&] { return is_told(number); };
  return pto_wait(args, holds);
}

class AskedKernels : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// The first kernel on a cube, and behind it the second on a vector core.
  static RunResult run(KernelEntry waits, KernelEntry tells, uint64_t seed = 1) {
    first = second = 0;
    ended = -1;
    DeviceConfig config = small_device();
    config.chip = {"one", 1, 1, 1, 1};
    config.deadline_ms = 10'000;
    const KernelEntry kernels[] = {waits, tells};
    const auto entry = [](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
      pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, nullptr, 0);
    };
    const stress::HangGuard guard("kernels that are asked");
    return run_at(GetParam(), config, {kernels, entry, {}}, seed);
  }
  static void expect_held(KernelEntry waits, KernelEntry tells) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const RunResult result = run(waits, tells, seed);
      ASSERT_EQ(result.error.message, "") << "seed " << seed;
      ASSERT_EQ(ended, static_cast<int>(PTOWaited::HOLDS)) << "seed " << seed;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, AskedKernels, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// Whoever waits is rung for its own announcements, too; others run all the same.
TEST_P(AskedKernels, MayAnnounce) {
  const KernelEntry waits = [](int64_t* args) {
    auto holds = [&] {
      pto_announce(args);
      return is_told(first);
    };
    ended = static_cast<int>(pto_wait(args, holds));
  };
  expect_held(waits, [](int64_t* args) { tell(args, first); });
}

/// Then nobody waits in vain alone, or for ever.
TEST_P(AskedKernels, WhoAnnounceInVainAreToldThatNobodyCanGoOn) {
  if (GetParam() != ExecutorKind::seeded) GTEST_SKIP() << "it takes as long as a kernel may there";
  const KernelEntry waits = [](int64_t* args) {
    auto holds = [&] {
      pto_announce(args);
      return is_told(first);
    };
    ended = static_cast<int>(pto_wait(args, holds));
  };
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(run(
                  waits, [](int64_t*) {}, seed)
                  .error.message,
              "");
    EXPECT_EQ(ended, static_cast<int>(PTOWaited::NOBODY));
    const RunError error = run(
                               waits, [](int64_t*) { throw std::runtime_error("no"); }, seed)
                               .error;
    EXPECT_EQ(error.code, ErrorCode::kernel_threw) << error.message;
    EXPECT_NE(ended, static_cast<int>(PTOWaited::HOLDS));
  }
}

/// The first time that it is asked, or in its wait.
TEST_P(AskedKernels, MustNotWait) {
  static int waits_when;
  const KernelEntry waits = [](int64_t* args) {
    int asked = 0;
    auto holds = [&] { return asked++ == waits_when && wait_for(args, first) == PTOWaited::HOLDS; };
    ended = static_cast<int>(pto_wait(args, holds));
  };
  for (waits_when = 0; waits_when < 2; ++waits_when) {
    const RunError error = run(waits, [](int64_t*) {}).error;
    EXPECT_EQ(error.code, ErrorCode::kernel_threw);
    EXPECT_THAT(error.message, testing::HasSubstr("pto_wait() was called in what a pto_wait()"));
    EXPECT_EQ(ended, -1);
  }
}

/// What is asked then is the outer run's kernel, and no kernel of the inner one.
TEST_P(AskedKernels, MayLaunchRunsWhoseKernelsWait) {
  static const auto launch_another = [] {
    const KernelEntry kernels[] = {[](int64_t* args) {
      auto never = [] { return false; };
      EXPECT_EQ(pto_wait(args, never), PTOWaited::NOBODY);
    }};
    const auto entry = [](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
    };
    return run_at(ExecutorKind::seeded, tiny_device(), {kernels, entry, {}}).error.message;
  };
  const KernelEntry waits = [](int64_t* args) {
    auto holds = [&] {
      EXPECT_EQ(launch_another(), "");
      EXPECT_THROW(wait_for(args, second), std::logic_error);
      return true;
    };
    ended = static_cast<int>(pto_wait(args, holds));
  };
  EXPECT_EQ(run(waits, [](int64_t*) {}).error.message, "");
  EXPECT_EQ(ended, static_cast<int>(PTOWaited::HOLDS));
}

/// One that throws there leaves nothing to the next wait.
TEST_P(AskedKernels, MayWaitForWhatHoldsAndPause) {
  const KernelEntry waits = [](int64_t* args) {
    auto never = [] { return false; };
    auto throws = []() -> bool { throw std::runtime_error("asked"); };
    EXPECT_THROW(pto_wait(args, throws), std::runtime_error);
    auto holds = [&] {
      return pto_pause(args, never) == PTOWaited::HOLDS && is_told(first) &&
             wait_for(args, first) == PTOWaited::HOLDS;
    };
    ended = static_cast<int>(pto_wait(args, holds));
    EXPECT_EQ(wait_for(args, second), PTOWaited::HOLDS);
  };
  expect_held(waits, [](int64_t* args) {
    tell(args, first);
    tell(args, second);
  });
}

/// Which must not touch a simulation meanwhile. That is not over before it has heard of them.
TEST_P(AskedKernels, AreToldByThreadsOfOthers) {
  static bool is_simulated;
  is_simulated = GetParam() == ExecutorKind::seeded;
  const KernelEntry waits = [](int64_t* args) {
    auto never = [] { return false; };
    ended = static_cast<int>(wait_for(args, first));
    tell(args, second);
    if (!is_simulated) return;
    EXPECT_EQ(pto_wait(args, never), PTOWaited::NOBODY) << "it was told of one thing";
  };
  expect_held(waits, [](int64_t* args) {
    std::thread([&] { tell(args, first); }).join();
    EXPECT_EQ(wait_for(args, second), PTOWaited::HOLDS);
  });
}

float one_and_a_little() {
  volatile float one = 1;
  volatile float little = 1e-10F;
  return one + little;
}

/// While another one waits on the same OS thread, which has changed it for itself.
TEST_P(AskedKernels, HaveTheirOwnFloatingPointEnvironment) {
  static float of_the_other, before, after;
  static int traps;
  const KernelEntry waits = [](int64_t* args) {
    std::fesetround(FE_UPWARD);
    feenableexcept(FE_DIVBYZERO);
    before = one_and_a_little();
    ended = static_cast<int>(wait_for(args, first));
    after = one_and_a_little();
    std::fesetround(FE_TONEAREST);
    fedisableexcept(FE_DIVBYZERO);
  };
  expect_held(waits, [](int64_t* args) {
    of_the_other = one_and_a_little();
    traps = fegetexcept();
    tell(args, first);
  });
  EXPECT_GT(before, 1);
  EXPECT_EQ(of_the_other, 1);
  EXPECT_EQ(traps, 0);
  EXPECT_GT(after, 1);
}

}  // namespace
}  // namespace pto2::test::asked
