// googletest and googlemock are found, linked and able to tell true from false.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(Googletest, MatchersOfGooglemockWork) {
  EXPECT_THAT((std::vector<int>{1, 2, 3}), testing::ElementsAre(1, 2, 3));
}

TEST(Googletest, AFalseExpectationFails) {
  EXPECT_NONFATAL_FAILURE(EXPECT_EQ(1, 2), "Expected equality");
}

}  // namespace
