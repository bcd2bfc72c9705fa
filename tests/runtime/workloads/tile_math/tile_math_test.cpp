#include "runtime/workloads/tile_math/tile_math.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {

constexpr float unset = -12345.0f;

double value_of(uint16_t h, HalfFormat format) {
  return format == HalfFormat::bfloat16 ? double{std::bit_cast<Eigen::bfloat16>(h)}
                                        : double{std::bit_cast<Eigen::half>(h)};
}

std::vector<uint16_t> random_half(size_t count, HalfFormat format, uint64_t seed) {
  std::vector<uint16_t> values(count);
  fill_uniform_half(values, format, -1, 1, seed);
  return values;
}

/// Every instruction set that this CPU has, both formats, and shapes that fill vectors and panels
/// exactly, barely and not at all.
class TileMathTest : public testing::TestWithParam<std::tuple<const TileMath*, HalfFormat>> {
 protected:
  void SetUp() override {
    // A CPU without an instruction set never chooses it; there is nothing to test then.
    math = is_supported(*std::get<0>(GetParam())) ? std::get<0>(GetParam()) : &tile_math();
    format = std::get<1>(GetParam());
  }
  const TileMath* math = nullptr;
  HalfFormat format = HalfFormat::float16;
  const std::vector<TileShape> shapes = {{16, 16, 16},  {16, 128, 128}, {64, 64, 128},  {1, 1, 1},
                                         {5, 13, 37},   {17, 31, 129},  {128, 16, 300}, {3, 260, 8},
                                         {33, 129, 65}, {5, 30, 96},    {18, 7, 128}};
};

TEST_P(TileMathTest, scores_are_dot_products) {
  for (const TileShape& t : shapes) {
    const size_t stride = t.depth + 3;
    const auto query = random_half(t.rows * stride, format, 1);
    const auto keys = random_half(t.columns * t.depth, format, 2);
    std::vector<float> scores(t.rows * t.columns + 1, unset);
    math->scores(format, t, query.data(), stride, keys.data(), scores.data());
    for (size_t m = 0; m < t.rows; ++m) {
      for (size_t n = 0; n < t.columns; ++n) {
        double sum = 0;
        for (size_t d = 0; d < t.depth; ++d) {
          sum += value_of(query[m * stride + d], format) * value_of(keys[n * t.depth + d], format);
        }
        ASSERT_NEAR(scores[m * t.columns + n], sum, 1e-4) << m << " " << n;
      }
    }
    EXPECT_EQ(scores.back(), unset);
  }
}

TEST_P(TileMathTest, weighted_values_are_a_matrix_product) {
  for (const TileShape& t : shapes) {
    const auto weights = random_half(t.rows * t.columns, format, 3);
    const auto values = random_half(t.columns * t.depth, format, 4);
    std::vector<float> out(t.rows * t.depth + 1, unset);
    math->weighted_values(format, t, weights.data(), values.data(), out.data());
    for (size_t m = 0; m < t.rows; ++m) {
      for (size_t d = 0; d < t.depth; ++d) {
        double sum = 0;
        for (size_t n = 0; n < t.columns; ++n) {
          sum += value_of(weights[m * t.columns + n], format) *
                 value_of(values[n * t.depth + d], format);
        }
        ASSERT_NEAR(out[m * t.depth + d], sum, 1e-4) << m << " " << d;
      }
    }
    EXPECT_EQ(out.back(), unset);
  }
}

TEST_P(TileMathTest, softmax_masks_scales_and_sums_what_it_rounded) {
  constexpr float scale = 0.7f;
  for (const TileShape& t : shapes) {
    const size_t stride = t.columns + 5;
    std::vector<float> scores(t.rows * stride);
    fill_uniform_float(scores, -9, 9, 5);
    for (const size_t valid : {size_t{0}, size_t{1}, t.columns / 2, t.columns}) {
      std::vector<uint16_t> p(t.rows * t.columns + 1, 0x1234);
      std::vector<float> max(t.rows, unset);
      std::vector<float> sum(t.rows, unset);
      math->softmax(format, t,
                    {scores.data(), stride, valid, scale, p.data(), max.data(), sum.data()});
      for (size_t m = 0; m < t.rows; ++m) {
        double expected_max = -1e30;
        double rounded_sum = 0;
        for (size_t n = 0; n < valid; ++n) {
          expected_max = std::max(expected_max, double{scale * scores[m * stride + n]});
        }
        for (size_t n = 0; n < t.columns; ++n) {
          const double actual = value_of(p[m * t.columns + n], format);
          const double expected =
              n < valid ? std::exp(double{scale} * scores[m * stride + n] - expected_max) : 0;
          // Half a unit in the last place of bf16; the smallest fp16 are subnormal.
          ASSERT_NEAR(actual, expected, expected / 256 + 6e-8) << m << " " << n;
          rounded_sum += actual;
        }
        ASSERT_NEAR(max[m], expected_max, 1e-6 * std::abs(expected_max));
        ASSERT_NEAR(sum[m], rounded_sum, 1e-5 * rounded_sum);
      }
      EXPECT_EQ(p.back(), 0x1234);
    }
  }
}

TEST_P(TileMathTest, a_score_that_is_no_number_stays_visible) {
  const TileShape t{2, 20, 0};
  std::vector<float> scores(40, 1.0f);
  scores[7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<uint16_t> p(40);
  float max[2];
  float sum[2];
  math->softmax(format, t, {scores.data(), 20, 20, 1, p.data(), max, sum});
  EXPECT_TRUE(std::isnan(sum[0]));
  EXPECT_TRUE(std::isnan(value_of(p[7], format)));
  EXPECT_EQ(sum[1], 20.0f);
}

TEST_P(TileMathTest, updates_merge_blocks_and_leave_their_inputs_alone) {
  const TileShape t{3, 0, 5};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // Three blocks with one column each of score s and value v, and an empty one in between.
  const float s[] = {1, -1e30f, 3, 2};
  const float v[] = {10, 0, 20, 40};
  std::vector<float> max(3, nan), sum(3, nan), accumulator(15, nan), out(3 * 7, unset);
  for (size_t i = 0; i < 4; ++i) {
    const std::vector<float> block_max(3, s[i]);
    const std::vector<float> block_sum(3, i == 1 ? 0.0f : 1.0f);
    const std::vector<float> block_out(15, v[i]);
    auto inputs = std::tuple(block_max, block_sum, block_out);
    math->update(t, {block_max.data(), block_sum.data(), block_out.data(), max.data(), sum.data(),
                     accumulator.data(), out.data(), 7, i == 0, i == 3});
    EXPECT_EQ(inputs, std::tuple(block_max, block_sum, block_out));
    EXPECT_EQ(out[0] == unset, i < 3);
  }
  const double weights = std::exp(1) + std::exp(3) + std::exp(2);
  const double expected = (10 * std::exp(1) + 20 * std::exp(3) + 40 * std::exp(2)) / weights;
  for (size_t m = 0; m < 3; ++m) {
    for (size_t d = 0; d < 7; ++d) {
      EXPECT_NEAR(out[m * 7 + d], d < 5 ? expected : unset, 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TileMathTest,
                         testing::Combine(testing::Values(&tile_math_baseline, &tile_math_avx2,
                                                          &tile_math_avx512, &tile_math_avx512bf16),
                                          testing::Values(HalfFormat::float16,
                                                          HalfFormat::bfloat16)));

TEST(TileMath, chooses_one_that_the_cpu_has) {
  EXPECT_TRUE(is_supported(tile_math()));
}

}  // namespace
}  // namespace pto2::workloads
