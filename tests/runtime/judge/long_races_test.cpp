// VR-I23 of long runs is judged in seconds.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/runtime/judge/race_record.hpp"

namespace pto2::test {
namespace {

using enum Direction;

constexpr uint32_t tiles = 100'000;

/// Half a second at most here, each. It took minutes when each task looked at all others.
void expect_judged_in_seconds(const Record& record) {
  const auto begin = std::chrono::steady_clock::now();
  const judging::Verdict verdict = races_of(record);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(verdict.valid()) << verdict.violations.front().text;
  EXPECT_LT(seconds.count(), 10);
  testing::Test::RecordProperty("seconds", std::to_string(seconds.count()));
}

/// Nobody looks at what a long access might have reached, but does not.
TEST(LongRaces, OfTilesAfterAWriteOfTheWhole) {
  RaceRecord run;
  const uint32_t whole = run.submit({piece_of(out, 0, tiles)}, {});
  for (uint32_t tile = 0; tile < tiles; ++tile) run.submit({piece_of(inout, tile, 1)}, {whole});
  expect_judged_in_seconds(run.record());
}

}  // namespace
}  // namespace pto2::test
