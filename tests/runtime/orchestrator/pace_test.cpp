#include "runtime/orchestrator/pace.hpp"

#include <gtest/gtest.h>

#include "runtime/executors/hardware.hpp"

namespace pto2 {
namespace {

constexpr uint64_t most_ways = 1000;

/// What the others do while the orchestrator gives way, and how long they take.
struct Others {
  uint64_t now = 0;
  uint64_t ns_per_way = 1000;
  uint64_t retire_per_way = 0;
  uint64_t ways = 0;
  uint64_t retired = 0;
  bool are_there = true;
};
Others others;

struct PacedPolicy : executors::Hardware {
  static uint64_t now() { return others.now; }
  static bool give_way() {
    if (!others.are_there || others.ways == most_ways) return false;
    ++others.ways;
    others.now += others.ns_per_way;
    others.retired += others.retire_per_way;
    return true;
  }
};
static_assert(PacedPolicy::ticks_per_second == 1'000'000'000);

/// Books of one ring.
struct PacedAdmission {
  struct Tasks {
    uint64_t next;
    [[nodiscard]] uint64_t active(uint64_t alive) const { return next - alive; }
  };
  struct Ring {
    Tasks tasks;
  };

  Ring books;
  uint64_t seen = 0;

  void observe() { seen = others.retired; }
  [[nodiscard]] uint64_t alive(RingId) const { return seen; }
  [[nodiscard]] const Ring& ring(RingId) const { return books; }
};

class PaceOfTasks : public testing::Test {
 protected:
  PaceOfTasks() { others = {}; }

  /// How often the orchestrator gives way when it has submitted so many.
  uint64_t ways_at(uint64_t submitted) {
    admission_.books.tasks.next = submitted;
    others.ways = 0;
    pace_.keep(admission_, RingId(0), waited_);
    return others.ways;
  }

  uint64_t waited_ = 0;

 private:
  PacedAdmission admission_{};
  Pace<PacedPolicy> pace_;
};

TEST_F(PaceOfTasks, IsNotSlowedDownWhileThereAreFew) {
  EXPECT_EQ(ways_at(far_ahead - 1), 0U);
  EXPECT_NE(ways_at(far_ahead), 0U);
}

TEST_F(PaceOfTasks, WaitsForAsManyAsItIsAheadHoweverLongTheyTake) {
  others.ns_per_way = 5'000'000;
  others.retire_per_way = 1;
  EXPECT_EQ(ways_at(far_ahead + 99), 100U);
  EXPECT_EQ(ways_at(far_ahead + 99), 0U);
  EXPECT_EQ(ways_at(far_ahead + 100), 1U) << "it was not in vain, so it is asked for at once";
}

TEST_F(PaceOfTasks, GoesOnForAnEighthOfWhatWasInVain) {
  others.ns_per_way = 8000;
  EXPECT_EQ(ways_at(far_ahead), 3U) << "20 microseconds are over";
  others.now += 2999;
  EXPECT_EQ(ways_at(far_ahead + 1), 0U);
  others.now += 1;
  EXPECT_EQ(ways_at(far_ahead + 2), 3U);
}

TEST_F(PaceOfTasks, DoesNotWaitForMoreThanOneThatHasRetired) {
  others.ns_per_way = 30'000;
  others.retired = 1;
  EXPECT_EQ(ways_at(far_ahead + 100), 2U) << "the second one brings nothing";
}

TEST_F(PaceOfTasks, GoesOnForATenthOfAMillisecondAtMost) {
  others.ns_per_way = 1'000'000'000;
  EXPECT_EQ(ways_at(far_ahead), 1U);
  others.now += 99'999;
  EXPECT_EQ(ways_at(far_ahead + 1), 0U);
  others.now += 1;
  EXPECT_EQ(ways_at(far_ahead + 2), 1U);
}

TEST_F(PaceOfTasks, GoesOnWhereNobodyElseIs) {
  others.are_there = false;
  EXPECT_EQ(ways_at(10 * far_ahead), 0U);
  EXPECT_EQ(waited_, 0U);
}

/// Until it is far ahead no more, and in vain.
TEST_F(PaceOfTasks, CountsAllWaysAsTimeThatItHasWaited) {
  others.retire_per_way = 1;
  EXPECT_EQ(ways_at(far_ahead - 1), 0U);
  EXPECT_EQ(waited_, 0U);
  EXPECT_EQ(ways_at(far_ahead + 9), 10U);
  EXPECT_EQ(waited_, 10'000U);
  others.retire_per_way = 0;
  others.ns_per_way = 8000;
  EXPECT_EQ(ways_at(far_ahead + 10), 3U);
  EXPECT_EQ(waited_, 34'000U);
  EXPECT_EQ(ways_at(far_ahead + 11), 0U) << "it goes on";
  EXPECT_EQ(waited_, 34'000U);
}

}  // namespace
}  // namespace pto2
