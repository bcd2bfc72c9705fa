#include "runtime/workloads/tile_math/tile_math.hpp"

#include <cmath>
#include <limits>

#include "tests/runtime/workloads/tile_math/tile_math_fixture.hpp"

namespace pto2::workloads {
namespace {

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
          // Half a unit in the last place; the smallest fp16 are subnormal.
          const double places = format == HalfFormat::bfloat16 ? 256 : 2048;
          ASSERT_NEAR(actual, expected, expected / places + 6e-8) << m << " " << n;
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

TEST_P(TileMathTest, update_weighs_every_row_and_element) {
  for (const TileShape& t : shapes) {
    const size_t stride = t.depth + 3;
    const auto random = [](size_t count, float low, float high, uint64_t seed) {
      std::vector<float> values(count);
      fill_uniform_float(values, low, high, seed);
      return values;
    };
    const auto block_max = random(t.rows, -9, 9, 1), block_sum = random(t.rows, 1, 9, 2);
    const auto block_out = random(t.rows * t.depth, -1, 1, 3);
    const auto old_max = random(t.rows, -9, 9, 4), old_sum = random(t.rows, 1, 9, 5);
    const auto old = random(t.rows * t.depth, -1, 1, 6);
    auto max = old_max, sum = old_sum, accumulator = old;
    std::vector<float> out(t.rows * stride, unset);
    math->update(t, {block_max.data(), block_sum.data(), block_out.data(), max.data(), sum.data(),
                     accumulator.data(), out.data(), stride, false, true});
    for (size_t m = 0; m < t.rows; ++m) {
      const double new_max = std::max(old_max[m], block_max[m]);
      const double keep = std::exp(old_max[m] - new_max), add = std::exp(block_max[m] - new_max);
      const double new_sum = keep * old_sum[m] + add * block_sum[m];
      ASSERT_EQ(max[m], new_max);
      ASSERT_NEAR(sum[m], new_sum, 1e-6 * new_sum);
      for (size_t d = 0; d < t.depth; ++d) {
        const size_t i = m * t.depth + d;
        const double expected = keep * old[i] + add * block_out[i];
        ASSERT_NEAR(accumulator[i], expected, 1e-6) << m << " " << d;
        ASSERT_NEAR(out[m * stride + d], expected / new_sum, 1e-6) << m << " " << d;
      }
      for (size_t d = t.depth; d < stride; ++d) ASSERT_EQ(out[m * stride + d], unset);
    }
  }
}

TEST_P(TileMathTest, multiply_is_a_matrix_product) {
  for (const size_t side : {1, 3, 16, 33, 64, 100, 128}) {
    std::vector<float> left(side * side), right(side * side), out(side * side + 1, unset);
    fill_uniform_float(left, -1, 1, 1);
    fill_uniform_float(right, -1, 1, 2);
    math->multiply(side, left.data(), right.data(), out.data());
    for (size_t i = 0; i < side * side; ++i) {
      double sum = 0;
      for (size_t k = 0; k < side; ++k) {
        sum += double{left[i / side * side + k]} * right[k * side + i % side];
      }
      ASSERT_NEAR(out[i], sum, 1e-4) << side << ": " << i;
    }
    EXPECT_EQ(out.back(), unset);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TileMathTest, all_maths());

TEST(TileMath, chooses_one_that_the_cpu_has) {
  EXPECT_TRUE(is_supported(tile_math()));
}

}  // namespace
}  // namespace pto2::workloads
