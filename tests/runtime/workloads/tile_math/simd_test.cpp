#include "runtime/workloads/tile_math/simd.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace pto2::workloads {
namespace {

using S = Simd<4>;

template <HalfFormat Format>
float widen(uint16_t h) {
  return S::widen<Format>(S::Half{h, 0, 0, 0})[0];
}

template <HalfFormat Format>
uint16_t narrow(float f) {
  return S::narrow<Format>(S::Float{f, 0, 0, 0})[0];
}

float exp_of(float x) {
  return S::exp_of_negative(S::Float{x, 0, 0, 0})[0];
}

/// Checks every 16-bit pattern, and around it every case of rounding back.
template <HalfFormat Format, class Reference>
void check_all_patterns() {
  for (uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const auto h = static_cast<uint16_t>(pattern);
    const auto expected = static_cast<float>(std::bit_cast<Reference>(h));
    const float actual = widen<Format>(h);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual)) << pattern;
      ASSERT_TRUE(std::isnan(widen<Format>(narrow<Format>(actual)))) << pattern;
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected)) << pattern;
    // The value itself, its neighbours, and the halfway points to the next 16-bit value.
    for (const int32_t away : {0, 1, -1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001}) {
      const auto f = std::bit_cast<float>(std::bit_cast<uint32_t>(expected) + away);
      if (std::isnan(f)) continue;
      ASSERT_EQ(narrow<Format>(f), std::bit_cast<uint16_t>(Reference(f))) << f;
    }
  }
}

TEST(Simd, converts_every_fp16_pattern) {
  check_all_patterns<HalfFormat::float16, Eigen::half>();
}

TEST(Simd, converts_every_bf16_pattern) {
  check_all_patterns<HalfFormat::bfloat16, Eigen::bfloat16>();
}

TEST(Simd, exp_is_as_accurate_as_it_says) {
  for (float x = 0; x > -87; x -= 1e-4f) {
    const double expected = std::exp(double{x});
    ASSERT_NEAR(exp_of(x), expected, 3e-7 * expected) << x;
  }
}

TEST(Simd, exp_at_the_ends_of_its_range) {
  EXPECT_EQ(exp_of(0), 1.0f);
  EXPECT_EQ(exp_of(-88), 0.0f);
  EXPECT_EQ(exp_of(-1e30f), 0.0f);
  EXPECT_EQ(exp_of(-std::numeric_limits<float>::infinity()), 0.0f);
  EXPECT_TRUE(std::isnan(exp_of(std::numeric_limits<float>::quiet_NaN())));
}

template <int Lanes>
void check_parts() {
  using Wide = Simd<Lanes>;
  for (size_t count = 0; count <= Lanes; ++count) {
    std::vector<float> values(Lanes), copy(Lanes, -1.0f);
    std::iota(values.begin(), values.end(), 1.0f);
    const auto first = Wide::template load_first<typename Wide::Float>(values.data(), count);
    EXPECT_EQ(Wide::sum(first), static_cast<float>(count * (count + 1) / 2)) << Lanes;
    EXPECT_EQ(Wide::max(first), static_cast<float>(count)) << Lanes;
    Wide::store_first(copy.data(), first, count);
    const auto mask = Wide::first_lanes(count);
    for (size_t i = 0; i < Lanes; ++i) {
      EXPECT_EQ(copy[i], i < count ? values[i] : -1.0f) << Lanes << ": " << count << ", " << i;
      EXPECT_EQ(mask[i], i < count ? -1 : 0) << Lanes << ": " << count << ", " << i;
    }
  }
}

TEST(Simd, reads_writes_and_folds_parts_of_vectors) {
  check_parts<4>();
}

}  // namespace
}  // namespace pto2::workloads
