#include "core/awaited_mark.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/watermark.hpp"
#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

class AwaitedMarkTest : public testing::Test {
 protected:
  void move(uint32_t ring, uint32_t tasks) {
    for (uint32_t i = 0; i < tasks; ++i) {
      auto& watermark = watermarks_[ring];
      ASSERT_EQ(watermark.advance(
                    watermark.observe(), [](uint64_t) { return false; }, [](uint64_t) {}),
                Advance::advanced);
    }
  }
  [[nodiscard]] bool is_reached() const {
    return mark_.is_reached([this](RingId ring) -> const auto& { return watermarks_[ring.value]; });
  }

  AwaitedMark<TestPolicy> mark_;
  std::array<Watermark<TestPolicy>, max_rings> watermarks_;
};

TEST_F(AwaitedMarkTest, NoCompletionCountsWhileNothingIsAwaited) {
  EXPECT_FALSE(is_reached());
  move(0, 1);
  EXPECT_FALSE(is_reached());
}

TEST_F(AwaitedMarkTest, EachCompletionCountsWhileAnyIsAwaited) {
  mark_.set_any();
  EXPECT_TRUE(is_reached());
}

TEST_F(AwaitedMarkTest, IsReachedByTheWatermarkOfItsRing) {
  mark_.set(make_id(2, 3));
  EXPECT_FALSE(is_reached());
  move(0, 5);
  EXPECT_FALSE(is_reached()) << "another ring";
  move(2, 2);
  EXPECT_FALSE(is_reached()) << "one task short";
  move(2, 1);
  EXPECT_TRUE(is_reached());
  move(2, 1);
  EXPECT_TRUE(is_reached()) << "and stays so";
}

TEST_F(AwaitedMarkTest, IsForgottenWhenCleared) {
  mark_.set(make_id(0, 1));
  move(0, 1);
  EXPECT_TRUE(is_reached());
  mark_.clear();
  EXPECT_FALSE(is_reached());
  mark_.set_any();
  mark_.clear();
  EXPECT_FALSE(is_reached());
}

}  // namespace
}  // namespace pto2
