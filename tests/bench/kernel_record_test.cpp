#include <gtest/gtest.h>

#include "bench/peers/kernel.hpp"

namespace pto2::bench {
namespace {

TEST(KernelRecord, IsCorrectInTheOrderOfTheNumbers) {
  for (const Pattern pattern : patterns) {
    Record record(pattern, 300);
    EXPECT_FALSE(record.correct());
    for (uint32_t task = 0; task < 300; ++task) record.run(task);
    EXPECT_TRUE(record.correct()) << name_of(pattern);
    EXPECT_EQ(record.runs(), 300U);
  }
}

TEST(KernelRecord, IsCorrectInAnotherOrderOfTheEdges) {
  Record record(Pattern::stencil, 2 * row_tasks);
  for (uint32_t row = 0; row < 2; ++row) {
    for (uint32_t point = row_tasks; point-- > 0;) record.run(row * row_tasks + point);
  }
  EXPECT_TRUE(record.correct());
}

/// Two tasks change places, each pair of all that an edge joins.
TEST(KernelRecord, FindsATaskBeforeItsPredecessor) {
  for (const Pattern pattern : {Pattern::chain, Pattern::fft, Pattern::tree, Pattern::random}) {
    for (uint32_t late = 0; late < 150; ++late) {
      for (const uint32_t early : predecessors(pattern, late)) {
        Record record(pattern, 150);
        for (uint32_t task = 0; task < 150; ++task) {
          record.run(task == late ? early : task == early ? late : task);
        }
        EXPECT_FALSE(record.correct()) << name_of(pattern) << ' ' << early << ' ' << late;
        EXPECT_EQ(record.runs(), 150U);
      }
    }
  }
}

TEST(KernelRecord, FindsATaskThatRanTwiceOrNotAtAll) {
  Record twice(Pattern::independent, 10);
  for (uint32_t task = 0; task < 10; ++task) twice.run(task);
  twice.run(3);
  EXPECT_FALSE(twice.correct());
  EXPECT_EQ(twice.runs(), 11U);
  Record missing(Pattern::independent, 10);
  for (uint32_t task = 0; task < 9; ++task) missing.run(task);
  EXPECT_FALSE(missing.correct());
}

TEST(Kernel, TakesWholeTurns) {
  EXPECT_EQ(set_kernel_ns(11.9, 0.25), 2U);
  EXPECT_EQ(kernel.turns, 2U);
  EXPECT_EQ(set_kernel_ns(0, 0.25), 0U);
  EXPECT_EQ(kernel.turns, 0U);
}

}  // namespace
}  // namespace pto2::bench
