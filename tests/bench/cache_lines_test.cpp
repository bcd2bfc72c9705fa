#include "bench/cache_lines.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace pto2::bench {
namespace {

TEST(CacheLines, AreTheSameWithEachRun) {
  const CountedLaunch once = count_transfers(Graph::stencil, KernelTime::none, 300, 1);
  const CountedLaunch again = count_transfers(Graph::stencil, KernelTime::none, 300, 1);
  EXPECT_EQ(once.tasks, again.tasks);
  EXPECT_EQ(once.transfers, again.transfers);
}

/// If that is meant, or won: build/release/bin/cache_lines_bench --update.
TEST(CacheLines, ChangeHandsAsOftenAsExpected) {
  const Expectation expectation = cache_lines_expectation();
  std::ifstream file(expectation.file);
  Figures expected = read_figures(file);
  for (const auto& [work, measure] : cache_lines_works()) {
    for (const Compared& row : compare(measure(), expected[work], expectation)) {
      EXPECT_FALSE(row.differs) << work << ", " << row.part << ": " << row.figure
                                << " lines per task, expected " << row.expected;
    }
    expected.erase(work);
  }
  for (const auto& [work, figures] : expected) ADD_FAILURE() << work << " is no longer measured";
}

}  // namespace
}  // namespace pto2::bench
