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

/// More turns take longer; no more is sure of a busy machine.
TEST(Kernel, IsCalibrated) {
  EXPECT_GT(turns_per_ns(), 0.01);
  EXPECT_LT(turns_per_ns(), 100);
}

TEST(Kernel, TakesWholeTurns) {
  EXPECT_DOUBLE_EQ(set_kernel_ns(9.9, 0.25), 8);
  EXPECT_EQ(kernel.turns, 2U);
  EXPECT_DOUBLE_EQ(set_kernel_ns(0, 0.25), 0);
  EXPECT_EQ(kernel.turns, 0U);
}

}  // namespace
}  // namespace pto2::bench
