/// Kernels that do more than look when they are asked whether what they wait for holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <functional>
#include <thread>

#include "runtime/include/pto_core_calls.h"
#include "stress/hang_guard.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::asked {
namespace {

/// Of what two kernels tell each other. They are all of a run.
std::atomic<int> first{0};
std::atomic<int> second{0};
std::atomic<int> within{0};
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

/// The same, and tells of it when it is asked.
PTOWaited wait_within(const int64_t* args, const std::atomic<int>& number) {
  auto holds = [&] {
    if (!is_told(within)) tell(args, within);
    return is_told(number);
  };
  return pto_wait(args, holds);
}

class AskedKernels : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// The first kernel on a cube, and behind it the second on a vector core.
  static RunResult run(KernelEntry waits, KernelEntry tells, uint64_t seed = 1) {
    first = second = within = 0;
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

/// The second time that it is asked it is in a wait already.
TEST_P(AskedKernels, MayWait) {
  const KernelEntry waits = [](int64_t* args) {
    auto holds = [&] { return is_told(first) && wait_within(args, second) == PTOWaited::HOLDS; };
    ended = static_cast<int>(pto_wait(args, holds));
    EXPECT_EQ(pto_wait(args, holds), PTOWaited::HOLDS) << "it was over, and begins again";
  };
  expect_held(waits, [](int64_t* args) {
    tell(args, first);
    wait_for(args, within);
    tell(args, second);
  });
}

/// What was announced meanwhile is not lost to the outer wait.
TEST_P(AskedKernels, MayWaitForSomethingElse) {
  const KernelEntry waits = [](int64_t* args) {
    int asked = 0;
    auto holds = [&] {
      if (asked++ == 0) return false;
      const bool is_second = is_told(second);
      return wait_within(args, first) == PTOWaited::HOLDS && is_second;
    };
    ended = static_cast<int>(pto_wait(args, holds));
  };
  static bool is_simulated;
  is_simulated = GetParam() == ExecutorKind::seeded;
  expect_held(waits, [](int64_t* args) {
    auto never = [] { return false; };
    wait_for(args, within);
    tell(args, second);
    tell(args, first);
    if (!is_simulated) return;
    pto_pause(args, never);
    EXPECT_EQ(ended, static_cast<int>(PTOWaited::HOLDS)) << "others could not go on before";
  });
}

/// Another kernel's pause would hide that all others wait.
TEST_P(AskedKernels, MayPause) {
  const KernelEntry waits = [](int64_t* args) {
    auto holds = [&] {
      auto is_first = [] { return is_told(first); };
      return pto_pause(args, is_first) == PTOWaited::HOLDS && is_told(second);
    };
    ended = static_cast<int>(pto_wait(args, holds));
  };
  expect_held(waits, [](int64_t* args) {
    tell(args, first);
    tell(args, second);
  });
}

/// A pause within a wait makes no pause of it, which would end with those of others.
TEST_P(AskedKernels, GoOnToWaitBehindAPause) {
  if (GetParam() != ExecutorKind::seeded) GTEST_SKIP() << "nobody can go on for long there";
  const KernelEntry waits = [](int64_t* args) {
    int asked = 0;
    auto holds = [&] {
      if (asked++ == 1) {
        auto is_first = [&] {
          if (!is_told(within)) tell(args, within);
          return is_told(first);
        };
        EXPECT_EQ(pto_pause(args, is_first), PTOWaited::HOLDS);
      }
      return is_told(second);
    };
    ended = static_cast<int>(pto_wait(args, holds));
  };
  expect_held(waits, [](int64_t* args) {
    auto never = [] { return false; };
    wait_for(args, within);
    tell(args, first);
    EXPECT_EQ(pto_pause(args, never), PTOWaited::NOBODY);
    tell(args, second);
  });
}

TEST_P(AskedKernels, AreToldThatNobodyCanEndAnyOfTheirWaits) {
  const KernelEntry waits = [](int64_t* args) {
    auto holds = [&] {
      if (is_told(first)) second = wait_for(args, second) == PTOWaited::NOBODY ? 7 : 8;
      return false;
    };
    ended = static_cast<int>(pto_wait(args, holds));
  };
  const RunResult result = run(waits, [](int64_t* args) { tell(args, first); });
  EXPECT_EQ(result.error.message, "");
  EXPECT_EQ(ended, static_cast<int>(PTOWaited::NOBODY));
  EXPECT_EQ(second, 7);
}

/// Which must not touch a simulation meanwhile. That is not over before it has heard of them.
TEST_P(AskedKernels, AreToldByThreadsOfOthers) {
  const KernelEntry waits = [](int64_t* args) {
    ended = static_cast<int>(wait_for(args, first));
    tell(args, second);
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
  const KernelEntry waits = [](int64_t* args) {
    std::fesetround(FE_UPWARD);
    before = one_and_a_little();
    ended = static_cast<int>(wait_for(args, first));
    after = one_and_a_little();
    std::fesetround(FE_TONEAREST);
  };
  expect_held(waits, [](int64_t* args) {
    of_the_other = one_and_a_little();
    tell(args, first);
  });
  EXPECT_GT(before, 1);
  EXPECT_EQ(of_the_other, 1);
  EXPECT_GT(after, 1);
}

}  // namespace
}  // namespace pto2::test::asked
