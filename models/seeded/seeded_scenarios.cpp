/// Runs every scenario under the seeded policy, one schedule per seed.
///
///   seeded_scenarios [--seeds=N] [--first=SEED] [--gtest_filter=PIECE.SCENARIO*]
///
/// A failure prints its seed; --first=SEED --seeds=1 replays it.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <functional>
#include <string_view>

#include "models/runtime_scenarios.hpp"
#include "models/scenarios.hpp"
#include "runtime/executors/seeded.hpp"

namespace pto2::scenarios {
namespace {

using executors::Seeded;

uint64_t first_seed = 1;
uint64_t seeds = 2000;

/// More points than any scenario needs; a schedule that reaches it is a livelock.
constexpr uint64_t max_points = 1'000'000;
constexpr std::size_t stack_bytes = std::size_t{64} << 10;

template <Scenario S>
void run(uint64_t seed) {
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
  explicit ScenarioTest(std::function<void(uint64_t)> run) : run_(std::move(run)) {}
  void TestBody() override {
    for (uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
      ASSERT_NO_THROW(run_(seed));
    }
  }

 private:
  std::function<void(uint64_t)> run_;
};

struct Register {
  template <class S>
  void operator()(const std::string& name) const {
    const auto slash = name.find('/');
    testing::RegisterTest(name.substr(0, slash).c_str(), name.substr(slash + 1).c_str(), nullptr,
                          nullptr, __FILE__, __LINE__,
                          []() -> testing::Test* { return new ScenarioTest(run<S>); });
  }
};

/// Reads --NAME=NUMBER; false if the argument is another one.
bool read_option(std::string_view argument, std::string_view name, uint64_t& value) {
  if (!argument.starts_with(name)) return false;
  argument.remove_prefix(name.size());
  const auto [end, error] =
      std::from_chars(argument.data(), argument.data() + argument.size(), value);
  return error == std::errc{} && end == argument.data() + argument.size();
}

}  // namespace
}  // namespace pto2::scenarios

int main(int argc, char** argv) {
  using namespace pto2::scenarios;
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (read_option(argv[i], "--seeds=", seeds)) continue;
    if (read_option(argv[i], "--first=", first_seed)) continue;
    std::fprintf(stderr, "%s: usage: %s [--seeds=N] [--first=SEED]\n", argv[i], argv[0]);
    return 2;
  }
  for_each<pto2::executors::Seeded>(Register{});
  for_each_of_runtime<pto2::executors::Seeded>(Register{});
  return RUN_ALL_TESTS();
}
