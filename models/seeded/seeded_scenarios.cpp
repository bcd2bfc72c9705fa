/// Runs every scenario under the seeded policy, one schedule per seed.
///
///   seeded_scenarios [--seeds=N] [--first=SEED] [--gtest_filter=PIECE.SCENARIO*]
///
/// A failure prints its seed; --first=SEED --seeds=1 replays it.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "models/scenario_count.hpp"
#include "models/seeded/scenario_test.hpp"

namespace {

/// Reads --NAME=NUMBER; false if the argument is another one.
bool read_option(std::string_view argument, std::string_view name, uint64_t& value) {
  if (!argument.starts_with(name)) return false;
  argument.remove_prefix(name.size());
  const auto [end, error] =
      std::from_chars(argument.data(), argument.data() + argument.size(), value);
  return error == std::errc{} && end == argument.data() + argument.size();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace pto2::scenarios;
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (read_option(argv[i], "--seeds=", seeds.count)) continue;
    if (read_option(argv[i], "--first=", seeds.first)) continue;
    std::fprintf(stderr, "%s: usage: %s [--seeds=N] [--first=SEED]\n", argv[i], argv[0]);
    return 2;
  }
  register_pieces();
  register_whole_runtime();
  if (testing::UnitTest::GetInstance()->total_test_count() != pto2::scenarios::scenario_count) {
    std::fprintf(stderr, "%s: not every scenario is registered\n", argv[0]);
    return 1;
  }
  return RUN_ALL_TESTS();
}
