#include "tests/support/counting_oracle.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pto2::oracle {
namespace {

constexpr Configuration roomy{1024, uint64_t{1} << 30, 1024, 1024, true};

/// One scope of `scopes` nested scopes of `tasks` tasks each, or, flat, of all of them.
Program blocks(int scopes, int tasks, bool nested, const Event& task) {
  Program program;
  program.push_back({EventKind::scope_begin});
  for (int i = 0; i < scopes; ++i) {
    if (nested) program.push_back({EventKind::scope_begin});
    for (int j = 0; j < tasks; ++j) program.push_back(task);
    if (nested) program.push_back({EventKind::scope_end});
  }
  program.push_back({EventKind::scope_end});
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
  const Event task{EventKind::submit};
  expect(first_deadlock(blocks(9, 4, false, task), small), Resource::task_window, 15, 0);
  EXPECT_FALSE(first_deadlock(blocks(9, 4, true, task), small));
  small.four_rings = false;
  EXPECT_FALSE(first_deadlock(blocks(9, 4, true, task), small));
}

TEST(CountingOracle, HeapIsNeverFilledToTheLastByte) {
  Configuration small = roomy;
  small.heap = 4096;
  const Event task{EventKind::submit, {1000, 24}};
  expect(first_deadlock(blocks(3, 2, true, task), small), Resource::heap, 1, 1);
  small.heap = 5120;
  EXPECT_FALSE(first_deadlock(blocks(1, 2, true, task), small));
  EXPECT_FALSE(first_deadlock(blocks(9, 1, true, task), small));
}

TEST(CountingOracle, DrainedRingStartsOver) {
  Configuration small = roomy;
  small.heap = 4096;
  Program program = blocks(1, 1, true, {EventKind::submit, {2048}});
  program.pop_back();
  program.push_back({EventKind::scope_begin});
  program.push_back({EventKind::submit, {3072}});
  program.push_back({EventKind::submit, {1024}});
  program.push_back({EventKind::scope_end});
  program.push_back({EventKind::scope_end});
  expect(first_deadlock(program, small), Resource::heap, 2, 1);
}

TEST(CountingOracle, PoolsCanBeFilled) {
  const Event task{EventKind::submit, {}, 3, 2};
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

TEST(CountingOracle, RefusesMalformedPrograms) {
  EXPECT_THROW((void)first_deadlock({{EventKind::submit}}, roomy), std::logic_error);
  EXPECT_THROW((void)first_deadlock({{EventKind::scope_end}}, roomy), std::logic_error);
}

}  // namespace
}  // namespace pto2::oracle
