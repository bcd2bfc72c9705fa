#include "runtime/cli/doctor_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pto2::cli {
namespace {

constexpr double quarter_gib = 256 << 20;

TEST(DoctorChecks, KnowHowMuchMemoryIsEnough) {
  EXPECT_EQ(check_memory(8 * quarter_gib).status, CheckStatus::ok);
  EXPECT_EQ(check_memory(8 * quarter_gib - 1).status, CheckStatus::warn);
  EXPECT_EQ(check_memory(quarter_gib).status, CheckStatus::warn);
  const Check little = check_memory(quarter_gib - 1);
  EXPECT_EQ(little.status, CheckStatus::fail);
  EXPECT_EQ(little.detail, "0.2 GiB available; small cases need 0.25 GiB");
  EXPECT_EQ(check_memory(std::nullopt).status, CheckStatus::warn);
}

}  // namespace
}  // namespace pto2::cli
