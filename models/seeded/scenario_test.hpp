/// A scenario as a test: one schedule of the seeded policy per seed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/support/scenario.hpp"
#include "runtime/executors/seeded.hpp"

namespace pto2::scenarios {

using executors::Seeded;

/// The schedules that each test tries.
struct Seeds {
  uint64_t first = 1;
  uint64_t count = 2000;
};
inline Seeds seeds;

/// More points than any scenario needs; a schedule that reaches it is a livelock.
inline constexpr uint64_t max_points = 1'000'000;
inline constexpr std::size_t stack_bytes = std::size_t{64} << 10;

inline void run_schedule(AnyScenario<Seeded>& scenario, uint32_t threads, uint64_t seed) {
  Seeded::team team({.seed = seed, .max_points = max_points, .stack_bytes = stack_bytes});
  std::vector<Seeded::doorbell> bells;
  for (uint32_t i = 0; i < threads; ++i) {
    bells.emplace_back(
        team.add("role" + std::to_string(i), i, [&scenario, i] { scenario.thread(i); }));
  }
  scenario.set_bells(bells);
  team.run();
  // On a team of its own, so that a broken property names the seed.
  Seeded::team end({.seed = seed, .max_points = max_points, .stack_bytes = stack_bytes});
  end.add("finish", 0, [&scenario] { scenario.finish(); });
  end.run();
}

template <Scenario S>
void run_schedule_of(uint64_t seed) {
  ScenarioOf<Seeded, S> scenario;
  run_schedule(scenario, S::threads, seed);
}

class ScenarioTest : public testing::Test {
 public:
  explicit ScenarioTest(void (*run)(uint64_t)) : run_(run) {}
  void TestBody() override {
    uint64_t ran = 0;
    uint64_t last = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
      ASSERT_NO_THROW(run_(seed));
      ++ran;
      last = seed;
    }
    // A test that tries nothing would pass as well.
    ASSERT_GT(ran, 0U);
    ASSERT_EQ(ran, seeds.count);
    ASSERT_EQ(last, seeds.first + seeds.count - 1);
  }

 private:
  void (*run_)(uint64_t);
};

inline void register_test(const std::string& name, void (*run)(uint64_t)) {
  const auto slash = name.find('/');
  testing::RegisterTest(name.substr(0, slash).c_str(), name.substr(slash + 1).c_str(), nullptr,
                        nullptr, __FILE__, __LINE__,
                        [run]() -> testing::Test* { return new ScenarioTest(run); });
}

/// Registers the test of a scenario, by its name.
struct Register {
  template <class S>
  void operator()(const std::string& name) const {
    register_test(name, run_schedule_of<S>);
  }
};

void register_pieces();
void register_whole_runtime();

}  // namespace pto2::scenarios
