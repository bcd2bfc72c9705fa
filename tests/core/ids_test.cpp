#include "core/ids.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>

namespace pto2 {
namespace {

/// No id becomes a number or another id by accident.
static_assert(!std::convertible_to<RingId, uint32_t>);
static_assert(!std::constructible_from<ClusterId, SchedulerId>);
static_assert(!std::constructible_from<RingId, ClusterId>);
static_assert(std::is_trivially_copyable_v<ClusterId> && sizeof(ClusterId) == sizeof(uint32_t));

TEST(Ids, AreTheirNumbers) {
  const uint32_t number = 7;
  EXPECT_EQ(ClusterId(number).value, 7U);
  const ClusterId written = 7;
  EXPECT_EQ(written, ClusterId(number));
  EXPECT_LT(ClusterId(6), written);
  EXPECT_NE(ClusterId(8), written);
  EXPECT_EQ(SchedulerId{}.value, 0U);
}

}  // namespace
}  // namespace pto2
