#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "runtime/executors/weak.hpp"

namespace pto2::executors {
namespace {

using enum std::memory_order;

/// Whoever missed the last value has seen it a moment later, and is not to look on and on.
TEST(WeakSleepWord, SleepsOnceTheNewestValueIsSeen) {
  std::set<std::string> ends;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Weak::sleep_word word{0};
    Weak::team team({{.seed = seed, .expected_points = 20, .max_points = 10'000}, std::nullopt});
    team.add("writer", 0, [&] {
      word.store(1, relaxed);
      word.store(0, relaxed);
    });
    team.add("sleeper", 0, [&] { word.wait(0, relaxed); });
    try {
      team.run();
      ends.insert("woken");
    } catch (const SeededFailure& failure) {
      const std::string what = failure.what();
      ends.insert(what.substr(what.find(": ") + 2));
    }
  }
  EXPECT_EQ(ends, (std::set<std::string>{
                      "every thread that is left waits and none will be rung; waiting: sleeper",
                      "woken"}));
}

}  // namespace
}  // namespace pto2::executors
