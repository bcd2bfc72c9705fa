/// Logical threads that are run in steps, on both executors of the hardware policy.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
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
      team.add_stepped("t" + std::to_string(i), i % 5, [&steps, i] {
        ++steps[i];
        return AfterStep::end;
      });
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
      return end_if(seen[s].load() == rounds);
    });
  }
  team.run();
  EXPECT_EQ(seen[0].load() + seen[1].load(), 2 * rounds);
}

/// Two who yield until both have made all their steps: nobody rings them.
TEST_P(SteppedThreads, OneThatYieldsIsNotRung) {
  constexpr uint32_t most = 100;
  for (const uint32_t group_of_second : {1U, 2U}) {
    Team team(GetParam().options);
    std::array<std::atomic<uint32_t>, 2> steps{};
    for (uint32_t s = 0; s < 2; ++s) {
      team.add_stepped("t" + std::to_string(s), s == 0 ? 1 : group_of_second, [&, s] {
        ++steps[s];
        const bool is_last = steps[0] >= most && steps[1] >= most;
        return is_last ? AfterStep::end : AfterStep::yield;
      });
    }
    team.run();
    for (auto& n : steps) EXPECT_GE(n.load(), most);
  }
}

TEST_P(SteppedThreads, TheLastStepIsTheLast) {
  Team team(GetParam().options);
  std::atomic<int> steps{0};
  LogicalThread& leaver = team.add_stepped("leaver", 1, [&] {
    ++steps;
    return AfterStep::end;
  });
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
    return AfterStep::end;
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
  AfterStep step() {
    run_kernel([](int64_t* self) { reinterpret_cast<Waiting*>(self)->kernel(); },
               reinterpret_cast<int64_t*>(this));
    const bool is_last = ++gone_ == turns;
    teller_->ring();
    if (!is_last) thread_->ring();
    return end_if(is_last);
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

/// A kernel that waits has all of its stack, and so has one that runs meanwhile.
TEST_P(SteppedThreads, KernelsThatWaitHaveWholeStacks) {
  static constexpr std::size_t most = std::size_t{40} << 10;  // of 64 KiB
  struct Kernel {
    std::array<LogicalThread*, 3> threads{};
    std::array<std::atomic<bool>, 3> has_run{};

    /// The first waits for the second, and that for the third.
    void run(uint32_t number) {
      std::array<volatile char, most> used;
      for (std::size_t i = 0; i < most; i += 1024) used[i] = static_cast<char>(number);
      while (number != 2 && !has_run[number + 1]) KernelWaiter(threads[number]).wait();
      has_run[number] = used[0] == static_cast<char>(number);
      if (number != 0) KernelWaiter(threads[number - 1]).ring();
    }
  } kernel;
  struct Call {
    Kernel* kernel;
    uint32_t number;
  };
  Team team(GetParam().options);
  for (uint32_t i = 0; i < 3; ++i) {
    kernel.threads[i] = &team.add_stepped("t" + std::to_string(i), 1, [&kernel, i] {
      Call call{&kernel, i};
      run_kernel(
          [](int64_t* args) {
            const Call& of = *reinterpret_cast<Call*>(args);
            of.kernel->run(of.number);
          },
          reinterpret_cast<int64_t*>(&call));
      return AfterStep::end;
    });
  }
  team.run();
  for (auto& has_run : kernel.has_run) EXPECT_TRUE(has_run.load());
}

/// A thread of two steps, a kernel that waits and one that does not, beside one that sleeps in two
/// kernels, both of one host. The other host has nothing to do while those sleep.
class BesideASleeper {
 public:
  BesideASleeper() {
    team_.add("sleeper", 1, [this] {
      for (const std::atomic<bool>* begins : {&waits_, &has_waited_}) {
        while (!*begins) give_way();
        run<&BesideASleeper::sleep>();
      }
    });
    stepped_ = &team_.add_stepped("stepped", 1, [this] { return step(); });
    idler_ = &team_.add("idler", 0, [this] { direct(); });
  }

  void run() { team_.run(); }
  /// After that: whether its first kernel went on where it had begun, though another host could
  /// have run it earlier, and whether one has run its second step.
  [[nodiscard]] bool has_stayed() const { return has_stayed_; }
  [[nodiscard]] bool was_taken() const { return was_taken_; }

 private:
  template <void (BesideASleeper::*kernel)()>
  void run() {
    run_kernel([](int64_t* self) { (reinterpret_cast<BesideASleeper*>(self)->*kernel)(); },
               reinterpret_cast<int64_t*>(this));
  }
  /// The first time by the clock: it may be too short for anybody to take what must not be taken.
  /// The second time until the second step has looked, or never would.
  void sleep() {
    const bool is_first = ++begun_ == 1;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(is_first ? 200 : 20'000);
    while (!has_looked_ && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ++ended_;
  }
  void wait() {
    const pthread_t before = pthread_self();
    waits_ = true;
    while (!may_go_on_) KernelWaiter(stepped_).wait();
    has_stayed_ = pthread_equal(before, pthread_self()) != 0;
  }
  AfterStep step() {
    if (!has_waited_) {
      run<&BesideASleeper::wait>();
      has_waited_ = true;
      idler_->ring();
    }
    if (begun_ != 2) return AfterStep::rung;
    was_taken_ = ended_ == 1;
    has_looked_ = true;
    return AfterStep::end;
  }
  /// Rings the stepped one while the sleeper sleeps. Before, its host is busy.
  void direct() {
    while (begun_ != 1) std::this_thread::yield();
    may_go_on_ = true;
    stepped_->ring();
    Hardware::await([&] { return has_waited_.load(); });
    while (begun_ != 2) give_way();  // the sleeper may have been taken, and wait for its turn here
    stepped_->ring();
  }

  Team team_{{.executor = Executor::packed, .host_threads = 2, .stack_bytes = 64 << 10}};
  LogicalThread* stepped_ = nullptr;
  LogicalThread* idler_ = nullptr;
  std::atomic<bool> waits_{false};
  std::atomic<bool> may_go_on_{false};
  std::atomic<bool> has_waited_{false};
  std::atomic<int> begun_{0};  // kernels of the sleeper
  std::atomic<int> ended_{0};
  std::atomic<bool> has_looked_{false};
  bool has_stayed_ = false;
  bool was_taken_ = false;
};

/// Those of one host that yield have their turns one after the other.
TEST(PackedSteps, OthersGoFirst) {
  if (threads_need_stacks) GTEST_SKIP() << "what fibers do is unordered there";
  Team team({.executor = Executor::packed, .host_threads = 1, .stack_bytes = 64 << 10});
  std::string turns;
  for (const char name : {'a', 'b', 'c'}) {
    team.add_stepped({name}, 1, [&turns, name] {
      turns += name;
      return turns.size() < 7 ? AfterStep::yield : AfterStep::end;
    });
  }
  team.run();
  EXPECT_EQ(turns, "abcabcabc");
}

TEST(PackedSteps, AKernelThatWaitsIsNotTakenAndItsThreadIsAfterIt) {
  BesideASleeper both;
  both.run();
  EXPECT_TRUE(both.has_stayed());
  EXPECT_TRUE(both.was_taken());
}

}  // namespace
}  // namespace pto2::executors
