#include "runtime/record/checked.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace pto2::test {
namespace {

constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
constexpr int64_t least = std::numeric_limits<int64_t>::min();

TEST(Checked, ComputesWhatFits) {
  EXPECT_EQ((Checked(uint64_t{2}) + 3 * uint64_t{4}).result(), 14U);
  EXPECT_EQ((Checked(uint64_t{2}) * 3 - uint64_t{6}).result(), 0U);
  EXPECT_EQ((Checked(least) + 1 - int64_t{1}).result(), least);
}

TEST(Checked, KnowsWhatDoesNotFit) {
  EXPECT_FALSE((Checked(most) + 1).result());
  EXPECT_FALSE((Checked(uint64_t{0}) - 1).result());
  EXPECT_FALSE((Checked(uint64_t{1} << 32) * (uint64_t{1} << 32)).result());
  EXPECT_FALSE((Checked(least) - int64_t{1}).result());
}

/// What has been lost does not come back, on whichever side it stands.
TEST(Checked, DoesNotForget) {
  const Checked lost = Checked(most) + 1;
  for (const Checked<uint64_t>& sum :
       {lost - 1, lost * 0, Checked(uint64_t{0}) * lost, Checked(uint64_t{1}) + lost}) {
    EXPECT_FALSE(sum.result());
    EXPECT_TRUE(sum.exceeds(most));
  }
}

TEST(Checked, IsComparedWithALimit) {
  EXPECT_TRUE(Checked(uint64_t{8}).exceeds(7));
  EXPECT_FALSE(Checked(uint64_t{7}).exceeds(7));
}

}  // namespace
}  // namespace pto2::test
