#include "runtime/executors/kernel_pace.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace pto2::executors {
namespace {

/// Time passes in kernels, and while somebody asks.
struct Clock {
  static std::chrono::time_point<Clock, std::chrono::nanoseconds> now() {
    ++asked;
    time += cost;
    return std::chrono::time_point<Clock, std::chrono::nanoseconds>(time);
  }
  using rep = int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;

  static inline duration time{1};
  static inline duration cost{0};
  static inline int asked = 0;
};

class KernelPaceTest : public testing::Test {
 protected:
  using Pace = KernelPace<Clock>;

  KernelPaceTest() { Clock::cost = Clock::duration(0); }

  /// How many of them have shown that kernels are long.
  static uint32_t run(Pace& pace, uint32_t kernels, int64_t nanoseconds) {
    uint32_t shown = 0;
    for (uint32_t i = 0; i < kernels; ++i) {
      pace.begin();
      Clock::time += Clock::duration(nanoseconds);
      shown += pace.end() ? 1 : 0;
    }
    return shown;
  }
  uint32_t run(uint32_t kernels, int64_t nanoseconds) {
    const uint32_t shown = run(pace_, kernels, nanoseconds);
    has_shown_ = shown != 0;
    return shown;
  }
  /// Whether some of those that ran last have shown that they are long.
  [[nodiscard]] bool is_long() const { return has_shown_; }
  /// How often the clock was asked for so many kernels.
  int asked_by(uint32_t kernels, int64_t nanoseconds) {
    const int before = Clock::asked;
    run(kernels, nanoseconds);
    return Clock::asked - before;
  }
  static constexpr uint32_t verdict = Pace::samples_per_verdict;
  static constexpr uint32_t later = verdict * Pace::kernels_per_sample;
  Pace pace_{150};
  bool has_shown_ = false;
};

TEST_F(KernelPaceTest, KnowsNothingBeforeItsSamples) {
  run(verdict - 1, 1000);
  EXPECT_FALSE(pace_.is_short());
  EXPECT_FALSE(is_long());
  run(1, 1000);
  EXPECT_FALSE(pace_.is_short());
  EXPECT_TRUE(is_long());
}

TEST_F(KernelPaceTest, KernelsAreShortOrLongOrNeither) {
  run(verdict, 150);
  EXPECT_TRUE(pace_.is_short());
  run(later, 151);
  EXPECT_FALSE(pace_.is_short());
  EXPECT_FALSE(is_long());
  run(later, 301);
  EXPECT_TRUE(is_long());
  run(later, 300);
  EXPECT_FALSE(is_long());
  EXPECT_FALSE(pace_.is_short());
}

TEST_F(KernelPaceTest, OneKernelOfEachVerdictShowsThatTheyAreLong) {
  EXPECT_EQ(run(verdict - 1, 1000), 0U);
  EXPECT_EQ(run(1, 1000), 1U);
  EXPECT_EQ(run(later - Pace::kernels_per_sample, 1000), 0U);
  EXPECT_EQ(run(Pace::kernels_per_sample, 1000), 1U);
  EXPECT_EQ(run(later, 200), 0U);
  EXPECT_EQ(run(later, 0), 0U);
}

TEST_F(KernelPaceTest, WhatIsShortIsGiven) {
  Pace pace(1000);
  run(pace, verdict, 1000);
  EXPECT_TRUE(pace.is_short());
  EXPECT_EQ(run(pace, later, 2001), 1U);
}

TEST_F(KernelPaceTest, ForgetsUntilTheNextVerdict) {
  run(verdict, 0);
  pace_.forget();
  run(later - Pace::kernels_per_sample, 0);
  EXPECT_FALSE(pace_.is_short());
  EXPECT_FALSE(is_long());
  run(Pace::kernels_per_sample, 0);
  EXPECT_TRUE(pace_.is_short());
}

TEST_F(KernelPaceTest, ForgetsSamplesToo) {
  run(verdict - 1, 1000);
  pace_.forget();
  run(later - Pace::kernels_per_sample, 0);
  EXPECT_FALSE(pace_.is_short()) << "before there are enough of the others";
  EXPECT_FALSE(is_long());
  run(Pace::kernels_per_sample, 0);
  EXPECT_TRUE(pace_.is_short());
}

TEST_F(KernelPaceTest, OneThatIsLongIsAnInterruption) {
  run(verdict - 2, 0);
  run(1, 200);
  run(1, 1000);
  EXPECT_FALSE(is_long());
  EXPECT_FALSE(pace_.is_short());
}

TEST_F(KernelPaceTest, OneOfSoManyIsASampleAfterTheFirstOnes) {
  EXPECT_EQ(asked_by(verdict, 200), 3 * static_cast<int>(verdict));
  EXPECT_EQ(asked_by(later, 200), 3 * static_cast<int>(verdict));
}

TEST_F(KernelPaceTest, WhatTheClockCostsDoesNotCount) {
  Clock::cost = Clock::duration(1000);
  run(verdict, 150);
  EXPECT_TRUE(pace_.is_short());
  run(later, 151);
  EXPECT_FALSE(pace_.is_short());
}

TEST_F(KernelPaceTest, AClockThatWasSlowOnceMakesNoKernelLong) {
  for (uint32_t i = 0; i < verdict; ++i) {
    Clock::cost = Clock::duration(1000);
    pace_.begin();
    Clock::cost = Clock::duration(10);
    EXPECT_FALSE(pace_.end());
  }
  EXPECT_TRUE(pace_.is_short());
}

TEST_F(KernelPaceTest, OneKernelDecidesNothing) {
  run(1, 1'000'000);
  run(verdict - 1, 0);
  EXPECT_TRUE(pace_.is_short());
  run(Pace::kernels_per_sample, 1'000'000);
  run(later - Pace::kernels_per_sample, 0);
  EXPECT_TRUE(pace_.is_short());
  run(2 * Pace::kernels_per_sample, 1'000'000);
  run(later - 2 * Pace::kernels_per_sample, 0);
  EXPECT_TRUE(is_long());
}

}  // namespace
}  // namespace pto2::executors
