/// A scenario as a test: one schedule of the seeded policy per seed.
#pragma once

#include <gtest/gtest.h>

#include <string>

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

template <Scenario S>
void run_schedule(uint64_t seed) {
  S scenario;
  Seeded::team team({.seed = seed, .max_points = max_points, .stack_bytes = stack_bytes});
  decltype(S::bells) bells;
  for (uint32_t i = 0; i < S::threads; ++i) {
    bells[i] = Seeded::doorbell(
        team.add("role" + std::to_string(i), i, [&scenario, i] { scenario.thread(i); }));
  }
  set_bells(scenario, bells);
  team.run();
  // On a team of its own, so that a broken property names the seed.
  Seeded::team end({.seed = seed, .max_points = max_points, .stack_bytes = stack_bytes});
  end.add("finish", 0, [&scenario] { scenario.finish(); });
  end.run();
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

/// Registers the test of a scenario, by its name.
struct Register {
  template <class S>
  void operator()(const std::string& name) const {
    const auto slash = name.find('/');
    testing::RegisterTest(name.substr(0, slash).c_str(), name.substr(slash + 1).c_str(), nullptr,
                          nullptr, __FILE__, __LINE__,
                          []() -> testing::Test* { return new ScenarioTest(run_schedule<S>); });
  }
};

void register_pieces();
void register_whole_runtime();

}  // namespace pto2::scenarios
