#include "core/parked_schedulers.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

TEST(ParkedSchedulers, EachIsTakenOnce) {
  ParkedSchedulers<TestPolicy> parked;
  EXPECT_EQ(parked.take_one(), std::nullopt);
  for (const uint32_t s : {63u, 0u, 17u}) parked.announce(SchedulerId(s));
  EXPECT_EQ(parked.take_one(), SchedulerId(0));
  EXPECT_EQ(parked.take_one(), SchedulerId(17));
  EXPECT_EQ(parked.take_one(), SchedulerId(63));
  EXPECT_EQ(parked.take_one(), std::nullopt);
}

TEST(ParkedSchedulers, OneThatIsAwakeIsNotTaken) {
  ParkedSchedulers<TestPolicy> parked;
  parked.announce(1);
  parked.announce(2);
  parked.retract(1);
  EXPECT_EQ(parked.take_one(), SchedulerId(2));
  parked.retract(2);
  EXPECT_EQ(parked.take_one(), std::nullopt);
  parked.announce(2);
  EXPECT_EQ(parked.take_one(), SchedulerId(2)) << "announced again";
}

TEST(ParkedSchedulers, SaysWhenOneIsAnnouncedThatIsNotThere) {
  ParkedSchedulers<TestPolicy> parked;
  EXPECT_TRUE(parked.empty());
  parked.announce(3);
  EXPECT_FALSE(parked.empty());
  EXPECT_TRUE(parked.invariant_holds(4));
  EXPECT_FALSE(parked.invariant_holds(3));
  parked.announce(max_schedulers - 1);
  EXPECT_FALSE(parked.invariant_holds(4));
  EXPECT_TRUE(parked.invariant_holds(max_schedulers));
}

TEST(ParkedSchedulers, ThoseWithABacklogAreToldToWhoeverAsks) {
  ParkedSchedulers<TestPolicy> parked;
  const auto behind = [&] {
    std::vector<uint32_t> found;
    parked.for_each_behind([&](SchedulerId s) { found.push_back(s.value); });
    return found;
  };
  EXPECT_EQ(behind(), std::vector<uint32_t>{});
  parked.fall_behind(63);
  parked.fall_behind(2);
  EXPECT_EQ(behind(), (std::vector<uint32_t>{2, 63}));
  EXPECT_EQ(parked.take_one(), std::nullopt) << "they have no idle cores";
  EXPECT_FALSE(parked.empty());
  EXPECT_FALSE(parked.invariant_holds(63)) << "there is no scheduler 63";
  parked.catch_up(63);
  EXPECT_TRUE(parked.invariant_holds(3));
  parked.catch_up(2);
  EXPECT_EQ(behind(), std::vector<uint32_t>{});
  EXPECT_TRUE(parked.empty());
}

TEST(ParkedSchedulersDeathTest, ASchedulerThatIsNotThere) {
  ParkedSchedulers<TestPolicy> parked;
  EXPECT_DEATH(parked.announce(max_schedulers), "PS-P1");
}

}  // namespace
}  // namespace pto2
