/// Seeds that run at the same time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <thread>

#include "stress/simulation/simulate.hpp"

namespace pto2::simulations {
namespace {

/// Every run is wrong, and that of the first seed ends when another one has been counted.
class LateFirst final : public Subject {
 public:
  explicit LateFirst(const std::atomic<bool>& other_ended) : other_ended_(other_ended) {}

  SimulatedRun run(uint64_t seed) override {
    if (seed == 1) other_ended_.wait(false);
    return {.outcome = "wrong", .problems = {std::to_string(seed)}};
  }
  Shrunk shrink(uint64_t) override { return {}; }
  SimulatedRun run_shrunk(uint64_t, const std::string&, std::string&) override { return {}; }
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override { return {}; }

 private:
  const std::atomic<bool>& other_ended_;
};

TEST(Simulate, WrongSeedsComeInTheirOrderAndNotInThatOfTheirEnds) {
  std::atomic<bool> other_ended{false};
  Watch watch;
  watch.ended = [&](const SimulatedRun&) {
    other_ended = true;
    other_ended.notify_all();
  };
  const Summary summary = simulate(
      {}, {1, 2}, 2, {}, [&](const Options&) { return std::make_unique<LateFirst>(other_ended); },
      watch);
  ASSERT_EQ(summary.wrong.size(), 2U);
  EXPECT_EQ(summary.wrong[0].seed, 1U);
  EXPECT_THAT(summary.wrong[0].problems, testing::ElementsAre("1"));
  EXPECT_EQ(summary.wrong[1].seed, 2U);
}

/// The first two runs meet, so that they are made by two threads.
class OfOneThread final : public Subject {
 public:
  explicit OfOneThread(std::barrier<>& two) : two_(two) {}

  SimulatedRun run(uint64_t seed) override {
    if (seed <= 2) two_.arrive_and_wait();
    SimulatedRun run{.outcome = "passed", .problems = {}};
    std::thread::id first;
    const std::thread::id self = std::this_thread::get_id();
    if (!thread_.compare_exchange_strong(first, self) && first != self) {
      run.problems = {"another thread"};
    }
    return run;
  }
  Shrunk shrink(uint64_t) override { return {}; }
  SimulatedRun run_shrunk(uint64_t, const std::string&, std::string&) override { return {}; }
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override { return {}; }

 private:
  std::barrier<>& two_;
  std::atomic<std::thread::id> thread_{};
};

TEST(Simulate, EachJobHasASubjectOfItsOwn) {
  std::barrier two(2);
  const Summary summary = simulate(
      {}, {1, 9}, 2, {}, [&](const Options&) { return std::make_unique<OfOneThread>(two); });
  EXPECT_EQ(summary.runs, 9U);
  EXPECT_EQ(summary.wrong_runs, 0U);
}

/// Told when a thread is gone, and with it all that it did.
struct TellsItsEnd {
  std::atomic<bool>* gone = nullptr;
  ~TellsItsEnd() {
    if (gone == nullptr) return;
    *gone = true;
    gone->notify_all();
  }
};
thread_local TellsItsEnd end_of_thread;

/// The first two runs meet. The other thread's throws, and the caller's goes on when that is gone.
class GoesOnAlone final : public Subject {
 public:
  struct Scene {
    bool throws = false;  ///< the caller's, too
    std::barrier<> two{2};
    std::atomic<bool> other_gone{false};
    uint64_t runs = 0;  ///< the caller's
  };

  explicit GoesOnAlone(Scene& scene) : scene_(scene) {}

  SimulatedRun run(uint64_t seed) override {
    if (seed <= 2) scene_.two.arrive_and_wait();
    if (std::this_thread::get_id() != caller_) {
      end_of_thread.gone = &scene_.other_gone;
      throw std::runtime_error("first");
    }
    scene_.other_gone.wait(false);
    ++scene_.runs;
    if (scene_.throws) throw std::runtime_error("last");
    return {.outcome = "passed", .problems = {}};
  }
  Shrunk shrink(uint64_t) override { return {}; }
  SimulatedRun run_shrunk(uint64_t, const std::string&, std::string&) override { return {}; }
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override { return {}; }

 private:
  Scene& scene_;
  const std::thread::id caller_ = std::this_thread::get_id();
};

void expect_first_to_be_told(GoesOnAlone::Scene& scene) {
  try {
    simulate({}, {1, 9}, 2, {},
             [&](const Options&) { return std::make_unique<GoesOnAlone>(scene); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

TEST(Simulate, WhatIsThrownFirstIsTold) {
  GoesOnAlone::Scene scene{.throws = true};
  expect_first_to_be_told(scene);
}

TEST(Simulate, WhatOneJobThrowsEndsTheOthers) {
  GoesOnAlone::Scene scene;
  expect_first_to_be_told(scene);
  EXPECT_EQ(scene.runs, 1U) << "no other seed was begun";
}

}  // namespace
}  // namespace pto2::simulations
