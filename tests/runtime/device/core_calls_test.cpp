/// What a launch does about kernels that wait, look by look.
#include "runtime/device/core_calls.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
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

void call_function(int64_t* self) {
  (*reinterpret_cast<std::function<void()>*>(self))();
}

/// One core that runs one kernel, which waits several times.
class CoreCallsTest : public testing::Test {
 protected:
  static constexpr uint64_t longest = 5;
  static void do_nothing() {}

  CoreCallsTest() { begin(longest); }

  /// Waits may last for so many looks, 0: for ever.
  void begin(uint64_t looks) {
    calls_.emplace(
        chip_, looks * KernelWatch::period.count(), [this] { return given_up_.load(); },
        Hardware::running_thread);
  }
  /// Runs a kernel beside `looker`, and another.
  void run(std::function<void()> kernel, const std::function<void()>& looker,
           std::function<void()> other = do_nothing) {
    teams_.push_back(std::make_unique<executors::Team>(
        executors::TeamOptions{.executor = executors::Executor::threads}));
    executors::Team& team = *teams_.back();
    const Hardware::doorbell orchestrator(
        team.add("orchestrator", 0, [&] { orchestration_(team); }));
    const auto add = [&](WorkerId worker, const char* name, std::function<void()>& body,
                         uint64_t kernels_before) {
      calls_->add(worker, Hardware::doorbell(team.add(name, 0, [&, kernels_before] {
                    const auto run = [](std::function<void()>& it) {
                      executors::run_kernel(call_function, reinterpret_cast<int64_t*>(&it));
                    };
                    for (uint64_t i = 0; i < kernels_before; ++i) run(before_);
                    run(body);
                  })));
    };
    add(WorkerId(0), "aic0", other, 0);
    add(WorkerId(1), "aiv0", kernel, kernels_before_);
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
  std::vector<std::unique_ptr<executors::Team>> teams_;  // of each run
  std::function<void()> before_ = do_nothing;
  uint64_t kernels_before_ = 0;  // on the OS thread of the kernel
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
  for (const uint64_t looks : {uint64_t{0}, longest}) {
    PTOWaited ended = PTOWaited::HOLDS;
    given_up_ = false;
    begin(longest);
    run([&] { ended = wait(); },
        [&] {
          until_a_kernel_waits();
          look(looks);
          given_up_ = true;
          look(1);  // which is late, too, or the first
          EXPECT_NE(calls_->waits().reason(1), 0u) << looks;
          look(longest);
        });
    EXPECT_EQ(ended, PTOWaited::GIVEN_UP) << looks;
  }
}

/// Kernels that poll may end each other's pauses before anybody has looked at one.
TEST_F(CoreCallsTest, APauseOfARunThatIsGivenUpSaysSoWhateverEndsIt) {
  PTOWaited ended = PTOWaited::HOLDS;
  const auto never = [](void*) { return false; };
  run([&] { ended = table().pause(table().runtime, never, nullptr); },
      [&] {
        until_a_kernel_waits();
        given_up_ = true;
        announce();
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

/// Behind them a kernel waits no more, and is one that does not return.
TEST_F(CoreCallsTest, WaitsInVainHaveTheDeadlineTogether) {
  std::atomic<uint64_t> looks{0};
  std::atomic<bool> is_over{false};
  const auto looks_of_a_wait = [&] {
    const uint64_t before = looks;
    EXPECT_EQ(wait(), PTOWaited::NOBODY);
    return looks - before;
  };
  const auto look_at_waits = [&] {
    while (!is_over) {
      if (!given_up_ && calls_->waits().reason(1) != 0) continue;
      look(1);
      ++looks;
    }
  };
  const auto wait_in_vain = [&] {
    EXPECT_GE(looks_of_a_wait(), longest);
    EXPECT_LE(looks_of_a_wait(), 1u) << "which had begun before";
    announce();
    EXPECT_GE(looks_of_a_wait(), longest) << "something was announced";
    given_up_ = true;
    for (const uint64_t before = looks; looks < before + 2;) std::this_thread::yield();
    EXPECT_EQ(wait(), PTOWaited::GIVEN_UP);
    is_over = true;
  };
  run(wait_in_vain, look_at_waits);
  is_over = given_up_ = false;
  const auto wait_once = [&] {
    EXPECT_GE(looks_of_a_wait(), longest) << "it is another kernel";
    is_over = true;
  };
  // Each is in the turn that the one before was in last, of another OS thread.
  for (kernels_before_ = 0; kernels_before_ < 3; ++kernels_before_) {
    is_over = false;
    run(wait_once, look_at_waits);
  }
  kernels_before_ = 1;
  before_ = [&] { EXPECT_EQ(wait(), PTOWaited::NOBODY) << "on the same OS thread"; };
  is_over = false;
  run(wait_once, look_at_waits);
}

/// It pauses again each time.
TEST_F(CoreCallsTest, AWaitBesideSomebodyWhoPausesEnds) {
  begin(0);
  std::atomic<uint64_t> pauses{0};
  constexpr uint64_t most_pauses = 2'000'000;  // many begin before who was told wakes
  std::atomic<bool> begins{false};             // once the other waits
  std::atomic<bool> is_over{false};
  PTOWaited ended = PTOWaited::HOLDS;
  run(
      [&] {
        ended = wait();
        is_over = true;
      },
      [&] {
        while (!begins) std::this_thread::yield();
        while (!is_over && pauses < most_pauses) {
          look(1);  // it goes on
          while (calls_->waits().reason(0) == 0) calls_->look(states_);
          const auto has_ended = [&] { return is_over || pauses == most_pauses; };
          while (!has_ended() && calls_->waits().reason(0) != 0) std::this_thread::yield();
        }
        announce();
      },
      [&] {
        const auto is_set = [](void* it) { return static_cast<std::atomic<bool>*>(it)->load(); };
        until_a_kernel_waits();
        begins = true;
        while (!is_over && pauses < most_pauses) {
          table().pause(table().runtime, is_set, &is_over);
          ++pauses;
        }
      });
  EXPECT_EQ(ended, PTOWaited::NOBODY);
  EXPECT_GE(pauses, 15) << "it is told first, and may have an answer";
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
  calls_.emplace(
      chip_, 1, [] { return false; }, Hardware::running_thread);
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

/// Of the call, and not somewhere in it.
/// From the kernel that this thread runs in turn 7: it is late.
void be_late() {
  const executors::OurCall ours;
  (void)executors::leave(7, nullptr, 300);
}

/// Where the kernel was left; 0: it was not.
intptr_t end_of(std::function<void()> kernel) {
  const executors::Turn turn{7};
  try {
    executors::call_leavable(call_function, reinterpret_cast<int64_t*>(&kernel), turn);
  } catch (const executors::LeftBehind& left) {
    return reinterpret_cast<intptr_t>(left.place);
  }
  return 0;
}

template <class Entry>
bool is_far_from(Entry* entry, intptr_t end) {
  constexpr intptr_t thunk = 64;
  return std::abs(end - reinterpret_cast<intptr_t>(entry)) > thunk;
}

bool never(void*) {
  return false;
}

TEST_F(CoreCallsTest, EachCallOfALateKernelIsItsEnd) {
  if (PTO2_CAN_LEAVE == 0) GTEST_SKIP() << "no kernel is left in this build";
  const auto expect_end = [this](auto entry, auto... arguments) {
    const intptr_t end = end_of([&] {
      be_late();
      entry(table().runtime, arguments...);
      ADD_FAILURE() << "it goes on";
    });
    EXPECT_TRUE(is_far_from(entry, end));
  };
  expect_end(table().place);
  expect_end(table().wait, never, nullptr);
  expect_end(table().announce);
  expect_end(table().share, 0, 1, 64);
  expect_end(table().pause, never, nullptr);
}

TEST_F(CoreCallsTest, AKernelThatIsLateMeanwhileEndsBehindItsWait) {
  if (PTO2_CAN_LEAVE == 0) GTEST_SKIP() << "no kernel is left in this build";
  const auto asked_who_runs = [] {
    be_late();
    return std::string();
  };
  CoreCalls<Hardware> calls(
      chip_, 0, [] { return false; }, asked_who_runs);
  for (const auto entry : {calls.table()->wait, calls.table()->pause}) {
    const intptr_t end = end_of([&] {
      (void)entry(calls.table()->runtime, never, nullptr);
      ADD_FAILURE() << "it goes on";
    });
    EXPECT_TRUE(is_far_from(entry, end));
  }
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
