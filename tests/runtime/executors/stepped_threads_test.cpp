/// Logical threads that are run in steps, on both executors of the hardware policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/executors/hardware.hpp"
#include "tests/runtime/executors/teams.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::executors {
namespace {

using SteppedThreads = EachTeam;

INSTANTIATE_TEST_SUITE_P(Executors, SteppedThreads, testing::ValuesIn(all_teams()), name_of_team);

TEST_P(SteppedThreads, EachBeginsAndEnds) {
  for (const uint32_t threads : {1U, 64U, 129U}) {
    SCOPED_TRACE(threads);
    Team team(GetParam().options);
    std::vector<std::atomic<int>> steps(threads);
    for (uint32_t i = 0; i < threads; ++i) {
      team.add_stepped("t" + std::to_string(i), i % 5, [&steps, i] { return ++steps[i] == 1; });
    }
    team.run();
    for (auto& n : steps) EXPECT_EQ(n.load(), 1);
  }
}

/// Each waits for the other, in turns: a ring meets the end of a step.
TEST_P(SteppedThreads, EachRingIsFollowedByAStep) {
  constexpr uint32_t rounds = 2000;
  Team team(GetParam().options);
  std::array<std::atomic<uint32_t>, 2> seen{};
  std::array<LogicalThread*, 2> side{};
  for (uint32_t s = 0; s < 2; ++s) {
    side[s] = &team.add_stepped("side" + std::to_string(s), 1 + s, [&, s] {
      // The first goes ahead of the second.
      while (seen[s].load() < rounds && seen[s].load() + s <= seen[1 - s].load()) {
        ++seen[s];
        side[1 - s]->ring();
      }
      return seen[s].load() == rounds;
    });
  }
  team.run();
  EXPECT_EQ(seen[0].load() + seen[1].load(), 2 * rounds);
}

TEST_P(SteppedThreads, TheLastStepIsTheLast) {
  Team team(GetParam().options);
  std::atomic<int> steps{0};
  LogicalThread& leaver = team.add_stepped("leaver", 1, [&] { return ++steps != 0; });
  for (uint32_t i = 0; i < 3; ++i) {
    team.add("ringer", 1 + i, [&] {
      for (int k = 0; k < 20; ++k) {
        leaver.ring();
        yield();
      }
    });
  }
  team.run();
  EXPECT_EQ(steps.load(), 1);
}

TEST_P(SteppedThreads, OneIsNamedWhileItRuns) {
  Team team(GetParam().options);
  std::string name;
  team.add_stepped("the one", 1, [&] {
    name = running_thread();
    return true;
  });
  team.run();
  EXPECT_EQ(name, "the one");
}

/// A thread whose kernel throws, waits in the handler, and looks there what it has caught.
class Waiting {
 public:
  Waiting(Team& team, uint32_t number) : number_(number) {
    thread_ = &team.add_stepped("waiting" + std::to_string(number), 1, [this] { return step(); });
  }

  /// Before the run: who is rung after each change.
  void tell(LogicalThread& teller) { teller_ = &teller; }
  /// From another thread: the kernel of this turn may end.
  void let_go() {
    ++may_go_;
    KernelWaiter(thread_).ring();
  }
  [[nodiscard]] uint32_t waited() const { return waits_.load(); }
  [[nodiscard]] uint32_t gone() const { return gone_.load(); }

  static constexpr uint32_t turns = 3;

 private:
  /// One turn: it rings itself for the next.
  bool step() {
    run_kernel([](int64_t* self) { reinterpret_cast<Waiting*>(self)->kernel(); },
               reinterpret_cast<int64_t*>(this));
    const bool is_last = ++gone_ == turns;
    teller_->ring();
    if (!is_last) thread_->ring();
    return is_last;
  }
  void kernel() {
    const uint32_t turn = gone_.load();
    ++waits_;
    KernelWaiter(teller_).ring();
    try {
      throw number_ * turns + turn;
    } catch (...) {
      while (may_go_.load() == turn) KernelWaiter(thread_).wait();
      try {
        std::rethrow_exception(std::current_exception());
      } catch (const uint32_t caught) {
        EXPECT_EQ(caught, number_ * turns + turn);
      }
    }
  }

  const uint32_t number_;
  LogicalThread* thread_ = nullptr;
  LogicalThread* teller_ = nullptr;
  std::atomic<uint32_t> waits_{0};
  std::atomic<uint32_t> may_go_{0};
  std::atomic<uint32_t> gone_{0};
};

/// All wait at the same time, and go on in `order`, in another one in each turn.
void let_go_in(const TeamOptions& options, std::array<uint32_t, 4> order) {
  Team team(options);
  std::vector<std::unique_ptr<Waiting>> all;
  for (uint32_t i = 0; i < order.size(); ++i) all.push_back(std::make_unique<Waiting>(team, i));
  LogicalThread& teller = team.add("teller", 1, [&] {
    for (uint32_t turn = 0; turn < Waiting::turns; ++turn) {
      Hardware::await([&] {
        return std::ranges::all_of(all, [&](auto& one) { return one->waited() > turn; });
      });
      for (const uint32_t i : order) {
        all[i]->let_go();
        Hardware::await([&] { return all[i]->gone() > turn; });
      }
      std::ranges::rotate(order, order.begin() + 1);
    }
  });
  for (auto& one : all) one->tell(teller);
  team.run();
  for (auto& one : all) EXPECT_EQ(one->gone(), Waiting::turns);
}

TEST_P(SteppedThreads, KernelsThatWaitGoOnInAnyOrder) {
  std::array<uint32_t, 4> order{};
  std::iota(order.begin(), order.end(), 0U);
  do {
    SCOPED_TRACE(testing::PrintToString(order));
    let_go_in(GetParam().options, order);
  } while (std::ranges::next_permutation(order).found);
}

}  // namespace
}  // namespace pto2::executors
