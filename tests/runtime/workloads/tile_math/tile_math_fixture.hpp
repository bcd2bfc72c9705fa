#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <tuple>
#include <vector>

#include "runtime/workloads/random_fill.hpp"
#include "runtime/workloads/tile_math/tile_math.hpp"

namespace pto2::workloads {

constexpr float unset = -12345.0f;

inline double value_of(uint16_t h, HalfFormat format) {
  return format == HalfFormat::bfloat16 ? double{std::bit_cast<Eigen::bfloat16>(h)}
                                        : double{std::bit_cast<Eigen::half>(h)};
}

inline std::vector<uint16_t> random_half(size_t count, HalfFormat format, uint64_t seed) {
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
  const std::vector<TileShape> shapes = {
      {16, 16, 16},   {16, 128, 128}, {64, 64, 128}, {1, 1, 1},   {5, 13, 37},   {17, 31, 129},
      {128, 16, 300}, {3, 260, 8},    {33, 129, 65}, {5, 30, 96}, {18, 7, 128},  {15, 127, 127},
      {9, 3, 33},     {1, 17, 31},    {7, 66, 257},  {2, 1, 3},   {16, 18, 520}, {17, 33, 601}};
};

/// All that this CPU has, in both formats.
inline auto all_maths() {
  return testing::Combine(testing::Values(&tile_math_baseline, &tile_math_avx2, &tile_math_avx512,
                                          &tile_math_avx512bf16),
                          testing::Values(HalfFormat::float16, HalfFormat::bfloat16));
}

}  // namespace pto2::workloads
