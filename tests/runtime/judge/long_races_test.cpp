// VR-I23 of long runs is judged in seconds.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/runtime/judge/race_record.hpp"

namespace pto2::test {
namespace {

using enum Direction;

constexpr uint32_t tiles = 60'000;

/// A part of one here. Ten to forty if each task looks at all others.
void expect_judged_in_seconds(const Record& record) {
  const auto begin = std::chrono::steady_clock::now();
  const judging::Verdict verdict = races_of(record);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(verdict.valid()) << verdict.violations.front().text;
  EXPECT_LT(seconds.count(), 5);
  testing::Test::RecordProperty("seconds", std::to_string(seconds.count()));
}

/// Nobody looks at what a long access might have reached, but does not.
TEST(LongRaces, OfTilesAfterAWriteOfTheWhole) {
  RaceRecord run;
  const uint32_t whole = run.submit({piece_of(out, 0, tiles)}, {});
  for (uint32_t tile = 0; tile < tiles; ++tile) run.submit({piece_of(inout, tile, 1)}, {whole});
  expect_judged_in_seconds(run.record());
}

/// Each tile is written behind all tasks before it, of which the first has read the whole: no
/// search goes all the way back to that.
TEST(LongRaces, OfAChainOfWritersBehindAReaderOfTheWhole) {
  RaceRecord run;
  uint32_t last = run.submit({piece_of(in, 0, tiles)}, {});
  for (uint32_t tile = 0; tile < tiles; ++tile) last = run.submit({piece_of(out, tile, 1)}, {last});
  expect_judged_in_seconds(run.record());
}

/// The same with several readers, and several writers behind all of those before.
TEST(LongRaces, OfLayersOfWritersBehindReadersOfTheWhole) {
  RaceRecord run;
  std::vector<uint32_t> layer(8);
  for (uint32_t& task : layer) task = run.submit({piece_of(in, 0, tiles)}, {});
  for (uint32_t tile = 0; tile < tiles;) {
    const std::vector<uint32_t> before = layer;
    for (uint32_t& task : layer) task = run.submit({piece_of(out, tile++, 1)}, before);
  }
  expect_judged_in_seconds(run.record());
}

}  // namespace
}  // namespace pto2::test
