#include "stress/oracles/caller_buffers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pto2::oracle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CallerBuffers, AreOneForEachBegin) {
  CallerBuffers buffers;
  EXPECT_EQ(buffers.at(0x1000, 64, 5), 5U);
  EXPECT_EQ(buffers.at(0x2000, 64, 6), 6U);
  EXPECT_EQ(buffers.at(0x1000, 16, 7), 5U);
  EXPECT_EQ(buffers.at(0x1000, 128, 7), 5U);
  EXPECT_THAT(buffers.shared(), IsEmpty());
}

TEST(CallerBuffers, ThatTouchShareNothing) {
  CallerBuffers buffers;
  buffers.at(0x1000, 64, 0);
  buffers.at(0x1040, 64, 1);
  buffers.at(0xfc0, 64, 2);
  EXPECT_THAT(buffers.shared(), IsEmpty());
}

TEST(CallerBuffers, ShareTheirLastByteOrTheirFirst) {
  CallerBuffers buffers;
  buffers.at(0x1000, 64, 0);
  buffers.at(0x103f, 64, 1);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1));
  buffers.at(0x2000, 64, 2);
  buffers.at(0x1fff, 2, 3);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(buffers.is_shared(3));
  EXPECT_FALSE(buffers.is_shared(4));
}

TEST(CallerBuffers, ShareWhatLiesInThem) {
  CallerBuffers buffers;
  buffers.at(0x1000, 64, 0);
  buffers.at(0x1004, 16, 1);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1));
  buffers.at(0x2004, 16, 2);
  buffers.at(0x2020, 16, 3);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1));
  buffers.at(0x2000, 64, 4);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1, 2, 3, 4));
}

/// What has grown together is one, of which any part is shared.
TEST(CallerBuffers, ShareWhatOthersShareBehindThem) {
  CallerBuffers buffers;
  buffers.at(0x1000, 64, 0);
  buffers.at(0x1020, 8, 1);
  buffers.at(0x1008, 8, 2);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1, 2));
}

/// A larger tensor reaches into what a smaller one of the same begin did not, and one that lies in
/// shared bytes shares them, whichever buffer was there first.
TEST(CallerBuffers, ShareAsMuchAsTheLargestOfThem) {
  CallerBuffers buffers;
  buffers.at(0x1000, 64, 0);
  buffers.at(0x1080, 64, 1);
  buffers.at(0x1000, 256, 2);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1));
  buffers.at(0x1000, 16, 2);
  buffers.at(0x10f0, 4, 2);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1, 2));
}

/// A tensor that there cannot be, of no byte or of too many, hides none.
TEST(CallerBuffers, TakeWhatTheRuntimeRefuses) {
  CallerBuffers buffers;
  EXPECT_EQ(buffers.at(0x1000, 0, 0), 0U);
  buffers.at(0x1000, 64, 1);
  buffers.at(0x1004, 4, 1);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1));
  buffers.at(~uint64_t{15}, 64, 2);
  buffers.at(0x3000, 64, 3);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1));
  buffers.at(~uint64_t{7}, 4, 4);
  EXPECT_THAT(buffers.shared(), ElementsAre(0, 1, 2, 4));
}

}  // namespace
}  // namespace pto2::oracle
