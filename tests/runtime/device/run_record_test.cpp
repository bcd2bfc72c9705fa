/// What the threads of a run counted, added up.
#include "runtime/device/run_record.hpp"

#include <gtest/gtest.h>

namespace pto2::test {
namespace {

OrchestratorCounts some_orchestrator_counts() {
  OrchestratorCounts counts;
  counts.tasks = 1;
  counts.edges_linked = 2;
  counts.edges_early = 3;
  counts.holds = 4;
  counts.waits = 5;
  counts.wait_ticks = 6;
  counts.cas_retries = 7;
  counts.peak_window = 8;
  counts.slots_recycled = 9;
  return counts;
}

SchedulerCounts some_scheduler_counts(uint64_t unit) {
  SchedulerCounts counts;
  counts.dispatches = 1 * unit;
  counts.completions = 2 * unit;
  counts.steals = 3 * unit;
  counts.cas_retries = 4 * unit;
  counts.parks = 5 * unit;
  counts.loans = 6 * unit;
  return counts;
}

CoreCounts some_core_counts(uint64_t unit) {
  CoreCounts counts;
  counts.acks = 1 * unit;
  counts.fins = 2 * unit;
  counts.claims = 4 * unit;
  counts.kernel_ticks = 3 * unit;
  return counts;
}

void expect_counts_of_orchestrator(const RunResult& result) {
  EXPECT_EQ(result.tasks, 1U);
  EXPECT_EQ(result.edges_linked, 2U);
  EXPECT_EQ(result.edges_early, 3U);
  EXPECT_EQ(result.holds, 4U);
  EXPECT_EQ(result.waits, 5U);
  EXPECT_EQ(result.wait_ticks, 6U);
  EXPECT_EQ(result.peak_window, 8U);
  EXPECT_EQ(result.slots_recycled, 9U);
}

void expect_no_other_counts(const RunResult& result) {
  EXPECT_EQ(result.wall_ns, 0U);
  EXPECT_EQ(result.points, 0U);
  EXPECT_EQ(result.host_threads, 0U);
  EXPECT_FALSE(result.kernels_last);
}

TEST(RunRecord, CountsOfTheSchedulersAreAddedUp) {
  RunResult result;
  add(result, some_orchestrator_counts());
  add(result, some_scheduler_counts(10));
  add(result, some_scheduler_counts(1000));
  EXPECT_EQ(result.dispatches, 1010U);
  EXPECT_EQ(result.completions, 2020U);
  EXPECT_EQ(result.steals, 3030U);
  EXPECT_EQ(result.cas_retries, 4047U);
  EXPECT_EQ(result.scheduler_parks, 5050U);
  EXPECT_EQ(result.loans, 6060U);
  EXPECT_EQ(result.acks, 0U);
  EXPECT_EQ(result.fins, 0U);
  EXPECT_EQ(result.kernel_ticks, 0U);
  expect_counts_of_orchestrator(result);
  expect_no_other_counts(result);
}

TEST(RunRecord, CountsOfTheCoresAreAddedUp) {
  RunResult result;
  add(result, some_orchestrator_counts());
  add(result, some_core_counts(10));
  add(result, some_core_counts(1000));
  EXPECT_EQ(result.acks, 1010U);
  EXPECT_EQ(result.fins, 2020U);
  EXPECT_EQ(result.kernel_ticks, 3030U);
  EXPECT_EQ(result.cas_retries, 7U);
  EXPECT_EQ(result.dispatches, 4040U);
  EXPECT_EQ(result.loans, 0U);
  EXPECT_EQ(result.completions, 0U);
  EXPECT_EQ(result.steals, 0U);
  EXPECT_EQ(result.scheduler_parks, 0U);
  expect_counts_of_orchestrator(result);
  expect_no_other_counts(result);
}

}  // namespace
}  // namespace pto2::test
