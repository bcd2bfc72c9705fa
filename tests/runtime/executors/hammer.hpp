/// A hand-over between threads, hammered from both sides.
///
/// In each round the sides meet, each waits for a while of its own, and each does its half of the
/// hand-over: a swept offset makes the windows of the two meet. Lost wake-ups show as a round that
/// does not end; the guard reports who waits.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/executors/hardware.hpp"
#include "runtime/executors/random.hpp"
#include "stress/hang_guard.hpp"
#include "tests/support/delays/delays.hpp"

namespace pto2::executors {

/// The CPUs that the program may use, before anything is pinned.
inline const cpu_set_t cpus = [] {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}();

/// Keeps the calling OS thread on one CPU while it lives: the sides of a hand-over must run at the
/// same time, also where other programs want the CPUs.
class Pinned {
 public:
  /// On the one that `side` falls to.
  explicit Pinned(uint32_t side) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    uint32_t skipped = side % static_cast<uint32_t>(CPU_COUNT(&cpus));
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &cpus) && skipped-- == 0) CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
  }
  ~Pinned() { sched_setaffinity(0, sizeof before_, &before_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_;
};

/// OS threads, or fibers on different OS threads, that wait for each other without the executor.
class Meeting {
 public:
  explicit Meeting(uint32_t sides) : sides_(sides) {}

  void meet() {
    const uint64_t mine = arrived_.fetch_add(1);
    const uint64_t wanted = mine - mine % sides_ + sides_;
    // Who gave up the CPU would come back late, and miss the partner round for round.
    const uint64_t patience = CPU_COUNT(&cpus) < static_cast<int>(sides_) ? 100 : 50'000;
    for (uint64_t turn = 1; arrived_.load() < wanted; ++turn) {
      if (turn % patience == 0) sched_yield();
      __builtin_ia32_pause();
    }
  }

 private:
  uint64_t sides_;
  std::atomic<uint64_t> arrived_{0};
};

/// The waits of one side, from a seed: half of them uniform below `longest` turns of busy(), half
/// of every order of magnitude below it.
class Offsets {
 public:
  Offsets(uint64_t seed, uint64_t longest) : random_(seed), longest_(longest) {}
  void wait() {
    const uint64_t limit = random_.below(2) == 0 ? longest_ : longest_ >> random_.below(12);
    test::busy(random_.below(limit + 1));
  }

 private:
  Random random_;
  uint64_t longest_;
};

/// Lets the one that calls wake another, so that it needs no CPU before. Then they meet.
class Call {
 public:
  void call(uint32_t number) {
    called_.store(number);
    called_.notify_one();
    meeting_.meet();
  }
  /// `number` is one more from call to call.
  void await(uint32_t number) {
    called_.wait(number - 1);
    meeting_.meet();
  }

 private:
  std::atomic<uint32_t> called_{0};
  Meeting meeting_{2};
};

/// Meets the way of a host without work into its sleep: it looks around for a while before.
class SleepEntry {
 public:
  explicit SleepEntry(uint64_t seed) : random_(seed) {}

  /// Returns when host 0, without work from now on, is about to go to sleep. One call in four waits
  /// until it sleeps, and learns how long it takes.
  void wait(const Team& team) {
    using std::chrono::steady_clock;
    const auto begin = steady_clock::now();
    if (learned_ == learned_.zero() || random_.below(4) == 0) {
      while (!team.host_state(0).asleep) {
      }
      learned_ = steady_clock::now() - begin;
      return;
    }
    const auto wanted = learned_ * static_cast<int64_t>(50 + random_.below(70)) / 100;
    while (steady_clock::now() - begin < wanted) {
    }
  }

 private:
  Random random_;
  std::chrono::nanoseconds learned_{0};
};

/// Each program of hammers is built twice: once with the executors as they ship, at full speed, for
/// the windows of a few nanoseconds that no delay widens, and once with delays at their accesses.
class Hammer : public testing::Test {
 protected:
  Hammer() { test::set_delays({.one_in = 16, .longest = 16'384}); }
  ~Hammer() override { test::set_delays({}); }

  /// The number of rounds for this build.
  static uint32_t rounds(uint32_t without_sanitizers) {
    return without_sanitizers / static_cast<uint32_t>(4 * stress::test_slowdown() - 3);
  }
  /// False when the test has taken its time: with others on the CPUs, whose turns each round has to
  /// wait for, it makes do with fewer rounds.
  [[nodiscard]] bool time_left() const {
    return std::chrono::steady_clock::now() - begin_ < std::chrono::seconds(10);
  }
  /// Calls body(rounds, seed) for 25 parts of rounds(without_sanitizers) while time_left().
  template <class Body>
  void in_parts(uint32_t without_sanitizers, Body&& body) {
    constexpr uint32_t parts = 25;
    for (uint32_t part = 0; part < parts && time_left(); ++part) {
      body(rounds(without_sanitizers) / parts, uint64_t{2} * part);
    }
  }
  /// The end of a round.
  void progress() { guard_.progress(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  stress::HangGuard guard_{testing::UnitTest::GetInstance()->current_test_info()->name(),
                           std::chrono::seconds(20)};
};

inline TeamOptions packed_team(uint32_t hosts) {
  return {.executor = Executor::packed, .host_threads = hosts, .stack_bytes = 64 << 10};
}

/// Runs the team on this OS thread and its own, and each body on an OS thread that is not the
/// team's, on the CPUs of `first_side` and so on.
inline void run_with(Team& team, const std::vector<std::function<void()>>& bodies,
                     uint32_t first_side = 1) {
  std::vector<std::jthread> foreign;
  for (const auto& body : bodies) {
    const auto side = first_side + static_cast<uint32_t>(foreign.size());
    foreign.emplace_back([&body, side] {
      const Pinned pinned(side);
      body();
    });
  }
  team.run();
}

/// Runs `kernel` detached.
template <class Kernel>
void run_kernel(Kernel&& kernel) {
  detached([](int64_t* argument) { (*reinterpret_cast<Kernel*>(argument))(); },
           reinterpret_cast<int64_t*>(&kernel));
}

}  // namespace pto2::executors
