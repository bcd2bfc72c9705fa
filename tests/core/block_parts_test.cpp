#include "core/block_parts.hpp"

#include <gtest/gtest.h>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

using Parts = BlockParts<TestPolicy>;

TEST(BlockParts, AreClaimedInOrderAndThenNoMore) {
  for (const uint32_t block_dim : {1u, 2u, 24u, 65535u}) {
    Parts parts;
    parts.open(block_dim);
    EXPECT_EQ(parts.size(), block_dim);
    for (uint32_t part = 0; part < block_dim; ++part) {
      ASSERT_EQ(parts.unclaimed(), block_dim - part);
      ASSERT_EQ(parts.claim(), part);
    }
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(parts.unclaimed(), 0u);
      EXPECT_FALSE(parts.claim());
    }
  }
}

TEST(BlockParts, TheLastShareCompletesTheTask) {
  Parts parts;
  for (const uint32_t block_dim : {3u, 1u, 2u}) {
    parts.open(block_dim);
    EXPECT_TRUE(parts.lend(2));
    EXPECT_TRUE(parts.lend(2));
    while (parts.claim()) {
    }
    for (int share = 0; share < 3; ++share) EXPECT_FALSE(parts.give_back());
    EXPECT_FALSE(parts.ended());
    EXPECT_TRUE(parts.give_back());
    EXPECT_TRUE(parts.ended());
  }
}

TEST(BlockParts, ThatHaveEndedAreLentToNobody) {
  Parts parts;
  for (int task = 0; task < 2; ++task) {
    parts.open(1);
    EXPECT_TRUE(parts.lend(1));
    (void)parts.claim();
    EXPECT_TRUE(parts.give_back());
    EXPECT_FALSE(parts.lend(1));
    EXPECT_TRUE(parts.ended());
  }
}

TEST(BlockParts, ATicketMayKeepItsShare) {
  Parts parts;
  parts.open(2);
  (void)parts.claim();
  parts.add_share();
  EXPECT_FALSE(parts.give_back());
  EXPECT_FALSE(parts.ended()) << "between two parts";
  (void)parts.claim();
  EXPECT_TRUE(parts.give_back());
}

TEST(BlockParts, TheTicketAloneIsOneShare) {
  Parts parts;
  parts.open(2);
  (void)parts.claim();
  (void)parts.claim();
  EXPECT_TRUE(parts.give_back());
}

TEST(BlockParts, PinnedOnesAreTakenUntilNoneIsLeft) {
  Parts parts;
  parts.open_pinned(5);
  EXPECT_FALSE(parts.take(3));
  EXPECT_TRUE(parts.take(2));
  for (int part = 0; part < 4; ++part) EXPECT_FALSE(parts.give_back());
  EXPECT_TRUE(parts.give_back());
}

TEST(BlockParts, APinnedOneMayEndBeforeTheNextIsTaken) {
  Parts parts;
  parts.open_pinned(2);
  EXPECT_FALSE(parts.take(1));
  EXPECT_FALSE(parts.give_back());
  EXPECT_TRUE(parts.take(1));
  EXPECT_TRUE(parts.give_back());
}

TEST(BlockParts, AreWholeAtEveryStep) {
  Parts parts;
  EXPECT_TRUE(parts.invariant_holds());
  parts.open(1);
  EXPECT_TRUE(parts.invariant_holds());
  (void)parts.claim();
  EXPECT_TRUE(parts.invariant_holds());
  EXPECT_TRUE(parts.give_back());
  EXPECT_TRUE(parts.invariant_holds());
}

TEST(BlockParts, SeesATaskThatEndedWithPartsUnclaimed) {
  Parts parts;
  parts.open(2);
  (void)parts.claim();
  EXPECT_TRUE(parts.give_back());
  EXPECT_FALSE(parts.invariant_holds());
}

TEST(BlockPartsDeathTest, NobodyWithoutAShareDoesAnything) {
  Parts parts;
  EXPECT_DEATH((void)parts.claim(), "BP-I4");
  EXPECT_DEATH((void)parts.lend(1), "BP-I4");
  EXPECT_DEATH(parts.add_share(), "BP-I4");
  EXPECT_DEATH((void)parts.give_back(), "BP-I2");
  parts.open(1);
  (void)parts.claim();
  (void)parts.give_back();
  EXPECT_DEATH((void)parts.claim(), "BP-I4");
  EXPECT_DEATH(parts.add_share(), "BP-I4");
  EXPECT_DEATH((void)parts.give_back(), "BP-I2");
}

TEST(BlockPartsDeathTest, MoreIsTakenThanThereIs) {
  Parts parts;
  parts.open_pinned(2);
  EXPECT_DEATH((void)parts.take(0), "BP-I1");
  EXPECT_DEATH((void)parts.take(3), "BP-I1");
  (void)parts.take(2);
  EXPECT_DEATH((void)parts.take(1), "BP-I1");
}

TEST(BlockPartsDeathTest, TheNextTaskStartsTooEarly) {
  Parts parts;
  EXPECT_DEATH(parts.open(0), "BP-P1");
  parts.open(1);
  EXPECT_DEATH(parts.open(1), "BP-I4");
  (void)parts.claim();
  EXPECT_DEATH(parts.open_pinned(1), "BP-I4");
}

}  // namespace
}  // namespace pto2
