// Programs for which one rule of the reads that are held back (engine/held_reads.cpp) decides: the
// count is wrong without it. Random programs of a size for the brute force hardly ever need them.
#include <gtest/gtest.h>

#include "models/litmus/families.hpp"
#include "models/litmus/locks.hpp"
#include "tests/models/checker/brute_force.hpp"

namespace pto2::model::litmus {
namespace {

using enum std::memory_order;

constexpr int x = 0, y = 1, z = 2;

Instruction load(int location, std::memory_order order = relaxed) {
  return {.operation = Operation::load, .location = location, .order = order};
}
Instruction store(int location, int value, std::memory_order order = relaxed) {
  return {.operation = Operation::store, .location = location, .operand = value, .order = order};
}
Instruction wait(int location, int value, std::memory_order order = relaxed) {
  return {.operation = Operation::wait, .location = location, .expected = value, .order = order};
}
Instruction wait_exchange(int location, int value, int next, std::memory_order order = relaxed) {
  return {.operation = Operation::wait_exchange,
          .location = location,
          .operand = next,
          .expected = value,
          .order = order};
}

void expect_agreement(const Program& program, std::uint64_t count) {
  const Executions expected = by_brute_force(program);
  EXPECT_EQ(expected.count, count);
  EXPECT_EQ(by_checker(program), expected);
  Options shared;
  shared.jobs = 2;
  EXPECT_EQ(by_checker(program, shared), expected);
}

/// The first thread's read of y is older than its predicate's of x, which is held back: only if
/// that had its last value may y = 1 revisit it.
TEST(HeldReads, a_revisit_of_an_older_read_finds_them_as_they_would_be) {
  expect_agreement({2,
                    {{load(y), wait(x, 0)},
                     {store(x, 1, release)},
                     {load(x, acquire), load(x), store(y, 1, release)},
                     {store(x, 0)}}},
                   48);
}

/// A read that came again is judged among the writes that are for it.
TEST(HeldReads, one_that_came_again_is_judged_among_what_it_may_read) {
  expect_agreement({1,
                    {{wait(x, 0, acquire)},
                     {wait_exchange(x, 0, 0), store(x, 0)},
                     {wait_exchange(x, 0, 1, acquire), store(x, 1), wait_exchange(x, 1, 0)}}},
                   16);
}

/// The first thread's read is held back twice, and y = 1 revisits a read between the two times.
TEST(HeldReads, one_that_is_held_back_twice_keeps_to_both) {
  expect_agreement({3,
                    {{wait(x, 0)},
                     {wait(z, 1), load(y)},
                     {store(x, 1), store(z, 1), store(x, 0), store(x, 1), store(x, 0)},
                     {load(x), load(x), store(y, 1)},
                     {store(x, 2)}}},
                   630);
}

/// Two exchanges that want the same free lock: the loser's is not tried in a run of its own.
TEST(HeldReads, a_lock_that_is_lost_costs_no_run) {
  const Report report = explore({}, counter_under<TtasLock>(3, 1, {}));
  EXPECT_EQ(report.verdict, Verdict::pass) << report.to_text();
  EXPECT_EQ(report.executions, 36u);
  EXPECT_EQ(report.blocked, 0u);
}

}  // namespace
}  // namespace pto2::model::litmus
