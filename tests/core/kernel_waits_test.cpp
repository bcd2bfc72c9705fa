#include "core/kernel_waits.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

class KernelWaitsTest : public testing::Test {
 protected:
  using Waits = KernelWaits<TestPolicy>;

  std::vector<uint32_t> announce() {
    std::vector<uint32_t> rung;
    waits_.announce([&](uint32_t place) { rung.push_back(place); });
    return rung;
  }
  /// Ends the waits of this place for this reason; returns who was rung.
  std::vector<uint32_t> end(uint32_t of, Waits::Reason reason) {
    std::vector<uint32_t> rung;
    waits_.end_some([&](uint32_t place, uint64_t) { return place == of ? reason : 0; },
                    [&](uint32_t place) { rung.push_back(place); });
    return rung;
  }

  std::array<Waits::Word, 3> words_{};
  Waits waits_{words_};
};

TEST_F(KernelWaitsTest, AnnouncementsRingThoseWhoWait) {
  EXPECT_TRUE(announce().empty());
  (void)waits_.begin(0);
  (void)waits_.begin(2);
  EXPECT_EQ(announce(), (std::vector<uint32_t>{0, 2}));
  waits_.end(0);
  EXPECT_EQ(announce(), std::vector<uint32_t>{2});
  waits_.end(2);
  EXPECT_TRUE(announce().empty());
  EXPECT_EQ(waits_.announcements(), 4u);
}

TEST_F(KernelWaitsTest, TheFirstOfARunIsToldOf) {
  EXPECT_FALSE(waits_.has_begun());
  EXPECT_TRUE(waits_.begin(1));
  EXPECT_TRUE(waits_.has_begun());
  EXPECT_FALSE(waits_.begin(0));
  waits_.end(1);
  waits_.end(0);
  EXPECT_FALSE(waits_.begin(1)) << "not the first of all";
  EXPECT_TRUE(waits_.has_begun());
}

TEST_F(KernelWaitsTest, AWaitIsEndedForAReason) {
  (void)waits_.begin(1);
  EXPECT_EQ(waits_.reason(1), 0u);
  EXPECT_TRUE(end(1, 0).empty());
  EXPECT_EQ(end(1, 2), std::vector<uint32_t>{1});
  EXPECT_EQ(waits_.reason(1), 2u);
  EXPECT_TRUE(end(1, 1).empty()) << "it was ended before";
  EXPECT_EQ(waits_.reason(1), 2u);
  EXPECT_TRUE(announce().empty()) << "it was rung for its end";
  EXPECT_FALSE(waits_.empty()) << "it has not returned yet";
  waits_.end(1);
  EXPECT_TRUE(waits_.empty());
  (void)waits_.begin(1);
  EXPECT_EQ(waits_.reason(1), 0u) << "the next one was not";
}

TEST_F(KernelWaitsTest, WaitsAreNumberedAtEachPlace) {
  const auto number = [this] {
    uint64_t seen = 0;
    waits_.end_some(
        [&](uint32_t, uint64_t wait) {
          seen = wait;
          return 0u;
        },
        [](uint32_t) {});
    return seen;
  };
  for (const uint64_t wait : {1, 2, 3}) {
    (void)waits_.begin(2);
    EXPECT_EQ(number(), wait);
    end(2, 1);
    waits_.end(2);
  }
  (void)waits_.begin(0);
  EXPECT_EQ(number(), 1u);
}

TEST_F(KernelWaitsTest, OneThatEndedMeanwhileIsNotEndedLate) {
  (void)waits_.begin(0);
  bool rung = false;
  waits_.end_some(
      [&](uint32_t, uint64_t) {
        waits_.end(0);
        (void)waits_.begin(0);
        return 1u;
      },
      [&](uint32_t) { rung = true; });
  EXPECT_FALSE(rung);
  EXPECT_EQ(waits_.reason(0), 0u);
}

}  // namespace
}  // namespace pto2
