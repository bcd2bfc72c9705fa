#include "runtime/orchestrator/scope_tasks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <utility>
#include <vector>

namespace pto2 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Task = std::pair<uint32_t, uint64_t>;  ///< its ring and its local id

/// Scopes on two rings, of which the second is that of all inner ones.
struct Scopes {
  void begin() {
    const RingId ring(tasks.empty() ? 0U : 1U);
    tasks.begin(ring, next[ring.value]);
  }
  Task submit() { return {tasks.innermost_ring().value, next[tasks.innermost_ring().value]++}; }
  std::vector<Task> end() {
    std::vector<Task> held;
    tasks.end(next[tasks.innermost_ring().value], [&](RingId ring, ScopeTasks::Run run) {
      for (uint64_t local = run.first; local < run.end; ++local)
        held.push_back({ring.value, local});
    });
    return held;
  }

  ScopeTasks tasks;
  std::array<uint64_t, 2> next{};
};

TEST(ScopeTasks, AScopeHoldsItsOwnTasks) {
  Scopes scopes;
  scopes.begin();
  EXPECT_EQ(scopes.tasks.depth(), 0U);
  (void)scopes.submit();
  scopes.begin();
  EXPECT_EQ(scopes.tasks.depth(), 1U);
  (void)scopes.submit();
  (void)scopes.submit();
  EXPECT_THAT(scopes.end(), ElementsAre(Task{1, 0}, Task{1, 1}));
  (void)scopes.submit();
  EXPECT_THAT(scopes.end(), ElementsAre(Task{0, 0}, Task{0, 1}));
  EXPECT_TRUE(scopes.tasks.empty());
}

TEST(ScopeTasks, AScopeGoesOnBehindThoseInsideIt) {
  Scopes scopes;
  scopes.begin();
  scopes.begin();
  (void)scopes.submit();
  scopes.begin();
  (void)scopes.submit();
  EXPECT_THAT(scopes.end(), ElementsAre(Task{1, 1}));
  (void)scopes.submit();
  scopes.begin();
  EXPECT_THAT(scopes.end(), IsEmpty());
  (void)scopes.submit();
  EXPECT_THAT(scopes.end(), ElementsAre(Task{1, 0}, Task{1, 2}, Task{1, 3}));
  EXPECT_THAT(scopes.end(), IsEmpty());
}

/// A scope that stays open, and has one inside it for each step, would grow with them.
TEST(ScopeTasks, InnerScopesLeaveNothingWhereNothingIsSubmittedBetween) {
  ScopeTasks tasks;
  tasks.begin(RingId(0), 0);
  int runs = 0;
  const auto count = [&](RingId, const ScopeTasks::Run&) { ++runs; };
  for (uint64_t step = 0; step < 10; ++step) {
    tasks.begin(RingId(0), step);
    tasks.end(step + 1, count);
  }
  EXPECT_EQ(runs, 10);
  tasks.end(10, count);
  EXPECT_EQ(runs, 11);
}

/// Against a stack of lists.
TEST(ScopeTasks, EachTaskIsHeldOnce) {
  std::mt19937 random(1);
  Scopes scopes;
  std::vector<std::vector<Task>> expected;
  for (int step = 0; step < 20'000; ++step) {
    const uint32_t what = random() % 4;
    if (expected.empty() || (what == 0 && expected.size() < 12)) {
      scopes.begin();
      expected.emplace_back();
    } else if (what == 1) {
      ASSERT_EQ(scopes.end(), expected.back());
      expected.pop_back();
    } else {
      expected.back().push_back(scopes.submit());
    }
  }
}

TEST(ScopeTasksDeathTest, AScopeThatIsNotOpenEnds) {
  ScopeTasks tasks;
  EXPECT_DEATH(tasks.end(0, [](RingId, ScopeTasks::Run) {}), "ST-P1");
}

}  // namespace
}  // namespace pto2
