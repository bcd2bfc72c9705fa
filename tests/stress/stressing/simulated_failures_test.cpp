/// What a failure tells of a simulation that goes wrong, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "runtime/output/shared_with_forks.hpp"
#include "stress/stressing/stress.hpp"

namespace pto2::stress {
namespace {

using testing::HasSubstr;

/// What becomes of its simulations, and of smaller ones.
class SimulatedBy : public Unit {
 public:
  using Shrink = std::function<void(std::chrono::nanoseconds)>;

  SimulatedBy(std::function<void()> simulate, bool may_shrink, Shrink shrink)
      : Unit("fake/simulated"),
        simulate_(std::move(simulate)),
        may_shrink_(may_shrink),
        shrink_(std::move(shrink)) {}

  [[nodiscard]] bool has_seeds() const override { return true; }
  UnitReport run(const Budget&, const cli::NumberRange&, UnitCounts&) override {
    return {{}, {}, {{3, {"late"}}}};
  }
  [[nodiscard]] std::vector<std::string> simulations(uint64_t) const override {
    return {"right", "token", "later"};
  }
  [[nodiscard]] Simulated simulate(const std::string& token) override {
    if (token == "right") return {};
    simulate_();
    return {token, "story", may_shrink_};
  }
  [[nodiscard]] Simulated shrink(const std::string& token, std::chrono::nanoseconds time) override {
    shrink_(time);
    return {token + ":smaller", "short story"};
  }

 private:
  std::function<void()> simulate_;
  bool may_shrink_;
  Shrink shrink_;
};

Failure failure_of(SimulatedBy&& unit, double seconds) {
  StressOptions options;
  options.budget = {.runs = 2};
  options.repeat_tries = 0;
  options.simulate_seconds = seconds;
  PendingSignals signals;
  const UnitResult result = stress(unit, options, signals);
  EXPECT_EQ(result.failures.size(), 1U);
  return result.failures.at(0);
}

/// It goes wrong at once.
Failure failure_made_smaller(SimulatedBy::Shrink shrink) {
  return failure_of({[] {}, true, std::move(shrink)}, 2);
}

TEST(Stress, SimulationsAreLookedAtForSoLong) {
  testing::internal::CaptureStderr();
  const Failure failure = failure_of({[] { usleep(5'000'000); }, false, {}}, 0.1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(failure.token, "");
}

TEST(Stress, ALookInSimulationsThatIsRefusedIsTold) {
  testing::internal::CaptureStderr();
  const Failure failure = failure_of({[] { throw std::bad_alloc(); }, true, {}}, 60);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("pto2: fake/simulated is not looked for in simulations: out of memory; "));
  EXPECT_EQ(failure.text, "late");
  EXPECT_EQ(failure.token, "");
}

TEST(Stress, ASimulationThatCrashesIsTold) {
  const auto crash = [] {
    (void)std::fputs("heap overflow\n", stderr);
    std::abort();
  };
  const Failure failure = failure_of({crash, true, {}}, 60);
  EXPECT_EQ(failure.token, "token");
  EXPECT_EQ(failure.story, "ended by SIGABRT\nheap overflow\n");
}

TEST(Stress, ASimulationIsKeptThatIsNotMadeSmaller) {
  const Failure slow = failure_made_smaller([](auto) { usleep(60'000'000); });
  EXPECT_EQ(slow.token, "token");
  EXPECT_EQ(slow.story, "story");
  EXPECT_EQ(failure_made_smaller([](auto) { std::abort(); }).token, "token");
  EXPECT_EQ(failure_of({[] {}, false, [](auto) {}}, 60).token, "token") << "it may not be";
  testing::internal::CaptureStderr();
  EXPECT_EQ(failure_made_smaller([](auto) { throw std::bad_alloc(); }).token, "token");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("pto2: fake/simulated is not made smaller: out of memory; "));
}

/// None that is smaller goes wrong.
class RightWhenSmaller final : public SimulatedBy {
 public:
  RightWhenSmaller() : SimulatedBy([] {}, true, {}) {}
  [[nodiscard]] Simulated shrink(const std::string&, std::chrono::nanoseconds) override {
    return {};
  }
};

TEST(Stress, ASimulationIsKeptIfWhatIsSmallerIsRight) {
  const Failure failure = failure_of(RightWhenSmaller(), 60);
  EXPECT_EQ(failure.token, "token");
  EXPECT_EQ(failure.story, "story");
}

/// And returns in time.
TEST(Stress, ASimulationIsMadeSmallerForMostOfTheTime) {
  const cli::SharedWithForks<std::atomic<double>> given;
  const Failure failure = failure_made_smaller([&](std::chrono::nanoseconds time) {
    given->store(std::chrono::duration<double>(time).count());
  });
  EXPECT_EQ(failure.token, "token:smaller");
  EXPECT_EQ(failure.story, "short story");
  EXPECT_GT(given->load(), 0);
  EXPECT_LE(given->load(), 1.6);
}

/// Of two seconds one is over when it is found.
TEST(Stress, ASimulationIsMadeSmallerInWhatIsLeft) {
  struct Shared {
    std::atomic<double> given;
    std::atomic<double> taken;
  };
  const cli::SharedWithForks<Shared> shared;
  const auto shrink = [&](std::chrono::nanoseconds time) {
    shared->given = std::chrono::duration<double>(time).count();
    const auto begin = std::chrono::steady_clock::now();
    for (;; usleep(10'000)) {
      const auto now = std::chrono::steady_clock::now();
      shared->taken = std::chrono::duration<double>(now - begin).count();
    }
  };
  EXPECT_EQ(failure_of({[] { usleep(1'000'000); }, true, shrink}, 2).token, "token");
  EXPECT_GT(shared->given, 0);
  EXPECT_LE(shared->given, 0.8);
  EXPECT_LT(shared->taken, 1.5) << "until it is killed";
}

}  // namespace
}  // namespace pto2::stress
