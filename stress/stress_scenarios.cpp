/// Runs every scenario on OS threads, again and again.
///
///   stress_scenarios [--runs=N] [--gtest_filter=PIECE.SCENARIO*]
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "models/scenario_count.hpp"
#include "stress/stress_test.hpp"

namespace {

bool read_runs(std::string_view argument) {
  constexpr std::string_view name = "--runs=";
  if (!argument.starts_with(name)) return false;
  argument.remove_prefix(name.size());
  const auto [end, error] =
      std::from_chars(argument.data(), argument.data() + argument.size(), pto2::scenarios::runs);
  return error == std::errc{} && end == argument.data() + argument.size();
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (read_runs(argv[i])) continue;
    std::fprintf(stderr, "%s: usage: %s [--runs=N]\n", argv[i], argv[0]);
    return 2;
  }
  pto2::scenarios::register_pieces();
  pto2::scenarios::register_whole_runtime();
  if (testing::UnitTest::GetInstance()->total_test_count() != pto2::scenarios::scenario_count) {
    std::fprintf(stderr, "%s: not every scenario is registered\n", argv[0]);
    return 1;
  }
  return RUN_ALL_TESTS();
}
