#include "stress/oracles/counting_oracle.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pto2::oracle::counting_oracle_test {
namespace {

constexpr Configuration roomy{1024, uint64_t{1} << 30, 1024, 1024, 4};

/// One scope of `scopes` nested scopes of `tasks` tasks each, or, flat, of all of them.
Program blocks(int scopes, int tasks, bool nested, const Call& task) {
  Program program;
  program.push_back({CallKind::scope_begin});
  for (int i = 0; i < scopes; ++i) {
    if (nested) program.push_back({CallKind::scope_begin});
    for (int j = 0; j < tasks; ++j) program.push_back(task);
    if (nested) program.push_back({CallKind::scope_end});
  }
  program.push_back({CallKind::scope_end});
  return program;
}

void expect(const std::optional<Deadlock>& found, Resource resource, size_t task, uint32_t ring) {
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->resource, resource) << name_of(found->resource);
  EXPECT_EQ(found->task, task);
  EXPECT_EQ(found->ring, ring);
}

TEST(CountingOracle, WindowHoldsOneTaskLess) {
  Configuration small = roomy;
  small.window = 16;
  const Call task{CallKind::submit};
  expect(first_deadlock(blocks(9, 4, false, task), small), Resource::task_window, 15, 0);
  EXPECT_FALSE(first_deadlock(blocks(9, 4, true, task), small));
  small.rings = 1;
  EXPECT_FALSE(first_deadlock(blocks(9, 4, true, task), small));
}

TEST(CountingOracle, HeapIsNeverFilledToTheLastByte) {
  Configuration small = roomy;
  small.heap = 4096;
  const Call task{CallKind::submit, {1000, 24}};
  expect(first_deadlock(blocks(3, 2, true, task), small), Resource::heap, 1, 1);
  small.heap = 5120;
  EXPECT_FALSE(first_deadlock(blocks(1, 2, true, task), small));
  EXPECT_FALSE(first_deadlock(blocks(9, 1, true, task), small));
}

TEST(CountingOracle, DrainedRingStartsOver) {
  Configuration small = roomy;
  small.heap = 4096;
  Program program = blocks(1, 1, true, {CallKind::submit, {2048}});
  program.pop_back();
  program.push_back({CallKind::scope_begin});
  program.push_back({CallKind::submit, {3072}});
  program.push_back({CallKind::submit, {1024}});
  program.push_back({CallKind::scope_end});
  program.push_back({CallKind::scope_end});
  expect(first_deadlock(program, small), Resource::heap, 2, 1);
}

TEST(CountingOracle, ARingWithoutALiveByteStartsOver) {
  Configuration small = roomy;
  small.heap = 4096;
  const Call none{CallKind::submit};
  Program program = blocks(1, 1, true, {CallKind::submit, {2048}});
  program.pop_back();
  program.insert(program.end(),
                 {{CallKind::scope_begin}, none, none, {CallKind::submit, {3072}}, none});
  EXPECT_FALSE(first_deadlock(program, small));
  program.push_back({CallKind::submit, {1024}});
  expect(first_deadlock(program, small), Resource::heap, 5, 1);
}

/// Behind 2 KiB that have retired, and before those if nothing is live.
TEST(CountingOracle, WhatIsInFrontOfTheTailIsNeverFilledEither) {
  Configuration small = roomy;
  small.heap = 4096;
  const auto of = [](uint64_t bytes) { return Call{CallKind::submit, {bytes}}; };
  const auto behind = [&](const std::vector<Call>& calls) {
    Program program = blocks(1, 1, true, of(2048));
    program.pop_back();
    program.push_back({CallKind::scope_begin});
    program.insert(program.end(), calls.begin(), calls.end());
    return program;
  };
  EXPECT_FALSE(first_deadlock(behind({of(1024), of(1024)}), small));
  expect(first_deadlock(behind({of(1024), of(2048)}), small), Resource::heap, 2, 1);
  expect(first_deadlock(behind({of(1024), of(3072)}), small), Resource::heap, 2, 1);
  expect(first_deadlock(behind({of(4096)}), small), Resource::heap, 1, 1);
}

TEST(CountingOracle, PoolsCanBeFilled) {
  const Call task{CallKind::submit, {}, 3, 2};
  Configuration small = roomy;
  small.dep_pool = 12;
  EXPECT_FALSE(first_deadlock(blocks(5, 4, true, task), small));
  small.dep_pool = 11;
  expect(first_deadlock(blocks(5, 4, true, task), small), Resource::dep_pool, 3, 1);
  small = roomy;
  small.map_pool = 8;
  EXPECT_FALSE(first_deadlock(blocks(5, 4, true, task), small));
  small.map_pool = 7;
  expect(first_deadlock(blocks(5, 4, true, task), small), Resource::map_pool, 3, 1);
}

/// An entry that is replaced makes room for the one that replaces it.
TEST(CountingOracle, EntriesThatAreReplacedGo) {
  const Call first{CallKind::submit, {}, 0, 1};
  Call again = first;
  again.replaced = {0};
  Configuration small = roomy;
  small.map_pool = 1;
  EXPECT_FALSE(first_deadlock({{CallKind::scope_begin}, first, again}, small));
  expect(first_deadlock({{CallKind::scope_begin}, first, first}, small), Resource::map_pool, 1, 0);
  EXPECT_THROW((void)first_deadlock({{CallKind::scope_begin}, first, again, again}, roomy),
               std::logic_error)
      << "it went before";
}

/// It makes room for those that come after the one that has displaced it.
TEST(CountingOracle, EntriesThatAreDisplacedGoOnceTheNewOnesAreThere) {
  const Call first{CallKind::submit, {}, 0, 1};
  Call again = first;
  again.displaced = {0};
  Configuration small = roomy;
  small.map_pool = 1;
  expect(first_deadlock({{CallKind::scope_begin}, first, again}, small), Resource::map_pool, 1, 0);
  small.map_pool = 2;
  EXPECT_FALSE(first_deadlock({{CallKind::scope_begin}, first, again, first}, small));
  expect(first_deadlock({{CallKind::scope_begin}, first, again, first, first}, small),
         Resource::map_pool, 3, 0);
}

/// As many as it names.
TEST(CountingOracle, ATaskMayLoseSeveralEntries) {
  const Call first{CallKind::submit, {}, 0, 2};
  Call again = first;
  again.replaced = {0, 0};
  Configuration small = roomy;
  small.map_pool = 2;
  EXPECT_FALSE(first_deadlock({{CallKind::scope_begin}, first, again}, small));
  again.replaced = {0};
  expect(first_deadlock({{CallKind::scope_begin}, first, again}, small), Resource::map_pool, 1, 0);
}

/// The entries of a task that has retired have made room already.
TEST(CountingOracle, EntriesThatAreGoneMakeNoRoom) {
  const Call first{CallKind::submit, {}, 0, 1};
  Call again = first;
  again.replaced = {0};
  Configuration small = roomy;
  small.map_pool = 1;
  const Program program{
      {CallKind::scope_begin}, {CallKind::scope_begin}, first, {CallKind::scope_end}, first, again};
  expect(first_deadlock(program, small), Resource::map_pool, 2, 0);
}

TEST(CountingOracle, NamesTheSmallestSizes) {
  const Program program = blocks(3, 4, true, {CallKind::submit, {1000}, 3, 2});
  const SmallestSizes sizes = smallest_sizes(program, 4);
  EXPECT_EQ(sizes.window, 8U) << "four tasks at a time need five slots";
  EXPECT_EQ(sizes.heap, 5120U) << "with room for four wherever the last scope's buffers ended";
  EXPECT_EQ(sizes.power_of_2_heap, 8192U);
  EXPECT_EQ(sizes.dep_pool, 12U);
  EXPECT_EQ(sizes.map_pool, 8U);
  EXPECT_FALSE(first_deadlock(program, {8, 5120, 12, 8, 4}));
  expect(first_deadlock(program, {4, 5120, 12, 8, 4}), Resource::task_window, 3, 1);
  expect(first_deadlock(program, {8, 5119, 12, 8, 4}), Resource::heap, 7, 1);
  expect(first_deadlock(program, {8, 5120, 11, 8, 4}), Resource::dep_pool, 3, 1);
  expect(first_deadlock(program, {8, 5120, 12, 7, 4}), Resource::map_pool, 3, 1);
}

/// The scope that holds most decides, and not the last.
TEST(CountingOracle, NamesTheSizesOfThePeak) {
  Program program = blocks(1, 4, true, {CallKind::submit, {1000}, 3, 2});
  const Program last = blocks(1, 1, true, {CallKind::submit, {}, 1, 1});
  program.insert(program.end(), last.begin(), last.end());
  const SmallestSizes sizes = smallest_sizes(program, 4);
  EXPECT_EQ(sizes.window, 8U);
  EXPECT_EQ(sizes.heap, 4097U);
  EXPECT_EQ(sizes.dep_pool, 12U);
  EXPECT_EQ(sizes.map_pool, 8U);
  EXPECT_EQ(smallest_sizes(last, 4).heap, 1024U) << "the least that there is";
}

const Call begin{CallKind::scope_begin};
const Call end{CallKind::scope_end};
const Call open{CallKind::open_group};

Call close(size_t group) {
  Call call{CallKind::close_group};
  call.group = group;
  return call;
}

TEST(CountingOracle, ClustersAreHeldByOpenGroups) {
  const Program freed{begin, open, open, close(0), begin, open, close(1), open, end, open, end};
  EXPECT_EQ(smallest_sizes(freed, 4).clusters, 2U);
  Configuration chip = roomy;
  chip.clusters = 2;
  EXPECT_FALSE(first_deadlock(freed, chip));
  chip.clusters = 1;
  const auto found = first_deadlock(freed, chip);
  expect(found, Resource::clusters, 0, 0);
  EXPECT_EQ(found->groups, std::vector<size_t>{0});
}

TEST(CountingOracle, TheEndOfAScopeClosesItsGroupsOnly) {
  Configuration chip = roomy;
  chip.clusters = 2;
  const Call task{CallKind::submit};
  const Program inner{begin, open, begin, open, task, end, begin, open, task, open, end, end};
  const auto found = first_deadlock(inner, chip);
  expect(found, Resource::clusters, 2, 1);
  EXPECT_EQ(found->groups, (std::vector<size_t>{0, 2})) << "group 1 ended with its scope";
  EXPECT_EQ(smallest_sizes(inner, 4).clusters, 3U);
}

TEST(CountingOracle, TheFirstDeadlockInProgramOrderDecides) {
  Configuration small = roomy;
  small.window = 4;
  small.clusters = 1;
  const Call task{CallKind::submit};
  const auto window = first_deadlock({begin, open, task, task, task, task, open, end}, small);
  expect(window, Resource::task_window, 3, 0);
  EXPECT_TRUE(window->groups.empty()) << "which hold none of its slots";
  expect(first_deadlock({begin, open, task, task, task, open, task, end}, small),
         Resource::clusters, 3, 0);
}

TEST(CountingOracle, PutsTheDeepestScopesIntoTheLastRing) {
  EXPECT_EQ(ring_at(1, 3), 0U);
  EXPECT_EQ(ring_at(3, 3), 2U);
  EXPECT_EQ(ring_at(4, 3), 2U);
  EXPECT_EQ(ring_at(6, 3), 2U);
  EXPECT_EQ(ring_at(6, 1), 0U);
}

TEST(CountingOracle, RefusesMalformedPrograms) {
  EXPECT_THROW((void)first_deadlock({{CallKind::submit}}, roomy), std::logic_error);
  EXPECT_THROW((void)first_deadlock({{CallKind::scope_end}}, roomy), std::logic_error);
  EXPECT_THROW((void)first_deadlock({open}, roomy), std::logic_error);
  EXPECT_THROW((void)first_deadlock({begin, open, close(0), close(0)}, roomy), std::logic_error);
  Call ahead{CallKind::submit};
  ahead.replaced = {0};
  EXPECT_THROW((void)first_deadlock({begin, ahead}, roomy), std::logic_error) << "of no other task";
  EXPECT_THROW((void)ring_at(1, 0), std::logic_error);
  EXPECT_THROW((void)ring_at(1, 5), std::logic_error);
  EXPECT_THROW((void)first_deadlock({begin, begin, open, end, close(0)}, roomy), std::logic_error);
}

}  // namespace
}  // namespace pto2::oracle::counting_oracle_test
