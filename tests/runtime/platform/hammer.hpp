/// A hand-over between threads, hammered from both sides.
///
/// In each round the sides meet, each waits for a while of its own, and each does its half of the
/// hand-over: a swept offset makes the windows of the two meet. Lost wake-ups show as a round that
/// does not end; the guard reports who waits.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "runtime/platform/hardware.hpp"
#include "runtime/platform/random.hpp"
#include "tests/support/delays/delays.hpp"
#include "tests/support/hang_guard.hpp"

namespace pto2::platform {

/// OS threads, or fibers on different OS threads, that wait for each other without the executor.
class Meeting {
 public:
  explicit Meeting(uint32_t sides) : sides_(sides) {}

  void meet() {
    const uint64_t mine = arrived_.fetch_add(1);
    const uint64_t wanted = mine - mine % sides_ + sides_;
    for (uint32_t turn = 0; arrived_.load() < wanted; ++turn) spin_turn(turn);
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

/// Each program of hammers is built twice: once with the executors as they ship, at full speed, for
/// the windows of a few nanoseconds that no delay widens, and once with delays at their accesses.
class Hammer : public testing::Test {
 protected:
  Hammer() { test::set_delays({.one_in = 40, .longest = 16'384}); }
  ~Hammer() override { test::set_delays({}); }

  /// The number of rounds for this build.
  static uint32_t rounds(uint32_t without_sanitizers) {
    return without_sanitizers / static_cast<uint32_t>(4 * test::test_slowdown() - 3);
  }
  /// The end of a round.
  void progress() { guard_.progress(); }

 private:
  test::HangGuard guard_{testing::UnitTest::GetInstance()->current_test_info()->name(),
                         std::chrono::seconds(20)};
};

inline TeamOptions packed_team(uint32_t hosts) {
  return {.executor = Executor::packed, .host_threads = hosts, .stack_bytes = 64 << 10};
}

/// Runs `body` for as long as the team does, on an OS thread that is not of the team.
inline void run_with(Team& team, const std::vector<std::function<void()>>& bodies) {
  std::vector<std::jthread> foreign;
  for (const auto& body : bodies) foreign.emplace_back(body);
  team.run();
}

/// Runs `kernel` detached.
template <class Kernel>
void run_kernel(Kernel&& kernel) {
  detached([](int64_t* argument) { (*reinterpret_cast<Kernel*>(argument))(); },
           reinterpret_cast<int64_t*>(&kernel));
}

}  // namespace pto2::platform
