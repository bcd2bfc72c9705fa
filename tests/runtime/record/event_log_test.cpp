#include "runtime/events/event_log.hpp"

#include <gtest/gtest.h>

namespace pto2::test {
namespace {

TEST(EventLog, KeepsTheFirstEventsAndCountsTheOthers) {
  for (const uint32_t capacity : {1u, 63u, 64u, 65u, 100u, 128u, 1000u}) {
    EventLog log("a thread", capacity);
    for (uint32_t i = 0; i < capacity + 7; ++i) log.record({.t = i});
    ASSERT_EQ(log.events().size(), capacity);
    EXPECT_EQ(log.dropped(), 7U) << capacity;
    for (uint32_t i = 0; i < capacity; ++i) EXPECT_EQ(log.events()[i].t, i);
  }
}

TEST(EventLog, TakesMemoryForEventsThatCame) {
  EventLog log("a thread", std::size_t{1} << 40);
  EXPECT_TRUE(log.enabled());
  EXPECT_EQ(log.events().capacity(), 0U);
  for (uint32_t i = 0; i < 1000; ++i) log.record({.t = i});
  EXPECT_EQ(log.events().size(), 1000U);
  EXPECT_LE(log.events().capacity(), 2000U);
}

}  // namespace
}  // namespace pto2::test
