/// What a launch does about kernels that wait, look by look.
#include "runtime/device/core_calls.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/executors/hardware.hpp"
#include "runtime/run/run_state.hpp"

namespace pto2::test {
namespace {

using executors::Hardware;
using executors::KernelWatch;

/// One core that runs one kernel, which waits several times.
class CoreCallsTest : public testing::Test {
 protected:
  static constexpr uint64_t longest = 5;

  CoreCallsTest() { begin(longest); }

  /// Waits may last for so many looks, 0: for ever.
  void begin(uint64_t looks) {
    calls_.emplace(chip_, looks * KernelWatch::period.count(), [this] { return given_up_.load(); });
  }
  /// Runs a kernel beside `looker`.
  void run(const std::function<void()>& kernel, const std::function<void()>& looker) {
    executors::Team team({.executor = executors::Executor::threads});
    const Hardware::doorbell orchestrator(
        team.add("orchestrator", 0, [&] { orchestration_(team); }));
    const Hardware::doorbell bell(team.add("aiv0", 0, [&] {
      executors::run_kernel(
          [](int64_t* body) { (*reinterpret_cast<std::function<void()>*>(body))(); },
          reinterpret_cast<int64_t*>(const_cast<std::function<void()>*>(&kernel)));
    }));
    calls_->add(WorkerId(1), bell);
    calls_->tell_of_waits(orchestrator);
    const std::jthread beside(looker);
    team.run();
  }
  PTOWaited wait() {
    holds_ = false;
    return table().wait(
        table().runtime, [](void* holds) { return static_cast<std::atomic<bool>*>(holds)->load(); },
        &holds_);
  }
  void announce() {
    holds_ = true;
    table().announce(table().runtime);
  }
  /// In this order as often as it says, while kernels go on elsewhere.
  void look(uint64_t times) {
    for (uint64_t i = 0; i < times; ++i) {
      states_[0].begun = ++begun_;
      calls_->look(states_);
    }
  }
  void until_a_kernel_waits() {
    while (calls_->waits().empty()) std::this_thread::yield();
  }
  [[nodiscard]] const PTOCoreCalls& table() const { return *calls_->table(); }

  Chip chip_{"one", 1, 1, 1, 1};
  std::function<void(const executors::Team&)> orchestration_ = [](const executors::Team&) {};
  std::atomic<bool> given_up_{false};
  std::optional<CoreCalls<Hardware>> calls_;
  std::atomic<bool> holds_{false};
  std::vector<executors::KernelState> states_{1};
  uint64_t begun_ = 0;
};

TEST_F(CoreCallsTest, EachWaitMayLastForTheDeadline) {
  std::vector<PTOWaited> ended;
  std::atomic<int> waits{0};
  run(
      [&] {
        for (int i = 0; i < 3; ++i) {
          ended.push_back(wait());
          ++waits;
        }
      },
      [&] {
        for (int i = 0; i < 2; ++i) {
          until_a_kernel_waits();
          look(longest);
          EXPECT_EQ(calls_->waits().reason(1), 0u) << "it goes on";
          announce();
          while (waits == i) std::this_thread::yield();
        }
        until_a_kernel_waits();
        look(longest + 1);
      });
  EXPECT_EQ(ended, (std::vector{PTOWaited::HOLDS, PTOWaited::HOLDS, PTOWaited::NOBODY}));
}

TEST_F(CoreCallsTest, AWaitOfARunThatIsGivenUpEnds) {
  PTOWaited ended = PTOWaited::HOLDS;
  run([&] { ended = wait(); },
      [&] {
        until_a_kernel_waits();
        look(longest);
        given_up_ = true;
        look(1);  // which is late, too
      });
  EXPECT_EQ(ended, PTOWaited::GIVEN_UP);
}

TEST_F(CoreCallsTest, AWaitOfAQuietRunEnds) {
  begin(0);
  PTOWaited ended = PTOWaited::HOLDS;
  run([&] { ended = wait(); },
      [&] {
        until_a_kernel_waits();
        look(2 * QuietRun::patience);
        EXPECT_FALSE(calls_->waits().empty()) << "a kernel has begun";
        for (uint64_t i = 0; i < 2 * QuietRun::patience; ++i) {
          table().announce(table().runtime);
          calls_->look(states_);
        }
        EXPECT_EQ(calls_->waits().reason(1), 0u) << "something was announced";
        while (!calls_->waits().empty()) calls_->look(states_);
      });
  EXPECT_EQ(ended, PTOWaited::NOBODY);
}

/// Of a kernel that was left inside of one, nobody says any more that it is over.
TEST_F(CoreCallsTest, AWaitIsEndedOnce) {
  std::atomic<bool> is_over{false};
  run(
      [&] {
        int looks = 0;
        auto holds = [&] {
          if (++looks == 3) is_over.wait(false);
          return false;
        };
        const auto look_again = [](void* look) { return (*static_cast<decltype(holds)*>(look))(); };
        EXPECT_EQ(table().wait(table().runtime, look_again, &holds), PTOWaited::NOBODY);
      },
      [&] {
        until_a_kernel_waits();
        EXPECT_TRUE(calls_->end_all());
        EXPECT_FALSE(calls_->end_all());
        is_over = true;
        is_over.notify_all();
      });
}

TEST_F(CoreCallsTest, TheOrchestratorIsToldOfTheFirst) {
  std::atomic<bool> is_over{false};
  std::vector<bool> told;
  orchestration_ = [&](const executors::Team& team) {
    while (!is_over) std::this_thread::yield();
    told.push_back(team.state().threads[0].rung);
  };
  run(
      [&] {
        wait();
        is_over = true;
      },
      [&] {
        until_a_kernel_waits();
        announce();
      });
  EXPECT_EQ(told, std::vector{true});
  CallState state{DeviceConfig{}};
  EXPECT_FALSE(state.kernels_wait());
  state.waits = &calls_->waits();
  EXPECT_TRUE(calls_->waits().empty());
  EXPECT_TRUE(state.kernels_wait()) << "from then on";
}

TEST_F(CoreCallsTest, ADeadlineIsRoundedUp) {
  calls_.emplace(chip_, 1, [] { return false; });
  run([&] { wait(); },
      [&] {
        until_a_kernel_waits();
        look(2);
        EXPECT_NE(calls_->waits().reason(1), 0u) << "it was ended";
        announce();
      });
}

TEST_F(CoreCallsTest, AWaitThatThrowsIsOver) {
  std::atomic<bool> is_over{false};
  std::vector<PTOWaited> ended;
  const auto wait_in_vain = [&] {
    int looks = 0;
    const auto holds = [](void* count) {
      if (++*static_cast<int*>(count) == 2) throw std::runtime_error("the second look");
      return *static_cast<int*>(count) == 4;
    };
    EXPECT_THROW(table().wait(table().runtime, holds, &looks), std::runtime_error);
    EXPECT_TRUE(calls_->waits().empty());
    ended.push_back(table().wait(table().runtime, holds, &looks));
    is_over = true;
  };
  run(wait_in_vain, [&] {
    while (!is_over) announce();
  });
  EXPECT_EQ(ended, std::vector{PTOWaited::HOLDS});
}

TEST_F(CoreCallsTest, WhoeverRunsNoKernelWaitsForNobody) {
  EXPECT_EQ(wait(), PTOWaited::NOBODY);
  const auto holds = [](void*) { return true; };
  EXPECT_EQ(table().wait(table().runtime, holds, nullptr), PTOWaited::HOLDS);
  EXPECT_FALSE(calls_->waits().has_begun());
  EXPECT_FALSE(calls_->end_all());
  EXPECT_EQ(table().place(table().runtime).cluster, -1);
}

TEST_F(CoreCallsTest, APlaceIsOfTheCoreThatAsks) {
  PTOPlace place{};
  run([&] { place = table().place(table().runtime); }, [] {});
  EXPECT_EQ(place.cluster, 0);
  EXPECT_EQ(place.type, PTO2_WORKER_VECTOR);
  EXPECT_EQ(place.index, 0);
  EXPECT_EQ(place.vectors, 1);
}

}  // namespace
}  // namespace pto2::test
