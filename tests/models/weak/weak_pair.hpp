// Two threads on weak memory, under many seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/executors/weak.hpp"

namespace pto2::executors {

inline constexpr uint64_t seeds = 300;

inline WeakOptions options(uint64_t seed) {
  static constexpr Strategy strategies[] = {Strategy::random, Strategy::pct, Strategy::bursts};
  return {{.seed = seed, .strategy = strategies[seed % 3], .expected_points = 20}, std::nullopt};
}

/// Runs two bodies on a new State under each seed. What the first failure says; empty without one.
template <class State>
std::string first_failure(void (*one)(State&), void (*other)(State&)) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    State state;
    Weak::team team(options(seed));
    state.one = Weak::doorbell(team.add("one", 0, [&] { one(state); }));
    state.other = Weak::doorbell(team.add("other", 0, [&] { other(state); }));
    try {
      team.run();
    } catch (const SeededFailure& failure) {
      return failure.what();
    }
  }
  return "";
}

struct Message {
  Weak::doorbell one;
  Weak::doorbell other;
  Weak::cell<int> data;
  Weak::atomic<bool> flag;
  Weak::bounded_queue<int> queue{2};
  Weak::sleep_word word{0};
};

inline void write_it(Message& m) {
  m.data.write(1);
}
inline void read_it(Message& m) {
  (void)m.data.read();
}

}  // namespace pto2::executors
