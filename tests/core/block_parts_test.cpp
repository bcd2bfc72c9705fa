#include "core/block_parts.hpp"

#include <gtest/gtest.h>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

using Parts = BlockParts<TestPolicy>;

TEST(BlockParts, AreClaimedInOrderAndTheLastSaysSo) {
  for (const uint32_t block_dim : {1u, 2u, 24u, 65535u}) {
    Parts parts;
    parts.open(block_dim);
    for (uint32_t part = 0; part < block_dim; ++part) {
      const ClaimedParts claimed = parts.claim(1);
      ASSERT_EQ(claimed.first, part);
      ASSERT_EQ(claimed.count, 1u);
      ASSERT_EQ(claimed.last, part + 1 == block_dim);
    }
  }
}

TEST(BlockParts, SeveralAreClaimedAtOnceAsFarAsTheyGo) {
  Parts parts;
  parts.open(5);
  const ClaimedParts some = parts.claim(3);
  EXPECT_EQ(some.first, 0u);
  EXPECT_EQ(some.count, 3u);
  EXPECT_FALSE(some.last);
  const ClaimedParts rest = parts.claim(3);
  EXPECT_EQ(rest.first, 3u);
  EXPECT_EQ(rest.count, 2u);
  EXPECT_TRUE(rest.last);
}

TEST(BlockParts, TheLastEndCompletesTheTask) {
  Parts parts;
  for (const uint32_t block_dim : {3u, 1u, 2u}) {
    parts.open(block_dim);
    for (uint32_t part = 0; part < block_dim; ++part) (void)parts.claim(1);
    for (uint32_t part = 0; part + 1 < block_dim; ++part) EXPECT_FALSE(parts.end());
    EXPECT_FALSE(parts.ended());
    EXPECT_TRUE(parts.end());
    EXPECT_TRUE(parts.ended());
  }
}

TEST(BlockParts, APartMayEndBeforeTheNextIsClaimed) {
  Parts parts;
  parts.open(2);
  (void)parts.claim(1);
  EXPECT_FALSE(parts.end());
  const ClaimedParts second = parts.claim(1);
  EXPECT_EQ(second.first, 1u);
  EXPECT_TRUE(second.last);
  EXPECT_TRUE(parts.end());
}

TEST(BlockParts, AreWholeAtEveryStep) {
  Parts parts;
  EXPECT_TRUE(parts.invariant_holds());
  parts.open(2);
  EXPECT_TRUE(parts.invariant_holds());
  (void)parts.claim(1);
  EXPECT_TRUE(parts.invariant_holds());
  EXPECT_FALSE(parts.end());
  EXPECT_TRUE(parts.invariant_holds());
}

TEST(BlockParts, SeesAPartThatEndedUnclaimed) {
  Parts parts;
  parts.open(2);
  EXPECT_FALSE(parts.end());
  EXPECT_FALSE(parts.invariant_holds());
}

TEST(BlockPartsDeathTest, MoreClaimsOrEndsThanParts) {
  Parts parts;
  EXPECT_DEATH((void)parts.claim(1), "BP-I1");
  EXPECT_DEATH((void)parts.end(), "BP-I2");
  parts.open(1);
  EXPECT_DEATH((void)parts.claim(0), "BP-I1");
  (void)parts.claim(1);
  EXPECT_DEATH((void)parts.claim(1), "BP-I1");
  (void)parts.end();
  EXPECT_DEATH((void)parts.end(), "BP-I2");
}

TEST(BlockPartsDeathTest, TheNextTaskStartsTooEarly) {
  Parts parts;
  EXPECT_DEATH(parts.open(0), "BP-P1");
  parts.open(1);
  EXPECT_DEATH(parts.open(1), "BP-I4");
  (void)parts.claim(1);
  EXPECT_DEATH(parts.open(1), "BP-I4");
}

}  // namespace
}  // namespace pto2
