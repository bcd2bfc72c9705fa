#include "stress/numbered_runs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

namespace pto2 {
namespace {

TEST(NumberedRuns, RunEachNumberOnceAndBothEnds) {
  for (const uint32_t jobs : {1U, 3U}) {
    std::mutex mutex;
    std::map<uint64_t, int> runs;
    for_each_run({5, 9}, jobs, [&](uint64_t number) {
      const std::lock_guard lock(mutex);
      ++runs[number];
    });
    EXPECT_EQ(runs, (std::map<uint64_t, int>{{5, 1}, {6, 1}, {7, 1}, {8, 1}, {9, 1}}));
  }
}

TEST(NumberedRuns, ReachTheLastNumberOfAll) {
  uint64_t last = 0;
  for_each_run({~uint64_t{0}, ~uint64_t{0}}, 1, [&](uint64_t number) { last = number; });
  EXPECT_EQ(last, ~uint64_t{0});
}

}  // namespace
}  // namespace pto2
