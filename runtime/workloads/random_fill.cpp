#include "runtime/workloads/random_fill.hpp"

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

namespace pto2::workloads {
namespace {

uint16_t round_to_half(float x, HalfFormat format) {
  return format == HalfFormat::bfloat16 ? std::bit_cast<uint16_t>(Eigen::bfloat16(x))
                                        : std::bit_cast<uint16_t>(Eigen::half(x));
}

}  // namespace

void fill_uniform_half(std::span<uint16_t> to, HalfFormat format, float low, float high,
                       uint64_t seed) {
  std::vector<uint16_t> values(65536);
  for (size_t k = 0; k < values.size(); ++k) {
    const float unit = (static_cast<float>(k) + 0.5f) / 65536.0f;
    values[k] = round_to_half(low + (high - low) * unit, format);
  }
  const size_t whole = to.size() / 4;
  for (size_t i = 0; i < whole; ++i) {
    const uint64_t draw = splitmix64(seed, i);
    for (unsigned j = 0; j < 4; ++j) to[4 * i + j] = values[draw >> (16 * j) & 0xffff];
  }
  const uint64_t draw = splitmix64(seed, whole);
  for (size_t i = 4 * whole; i < to.size(); ++i) {
    to[i] = values[draw >> (16 * (i % 4)) & 0xffff];
  }
}

void fill_uniform_float(std::span<float> to, float low, float high, uint64_t seed) {
  for (size_t i = 0; i < to.size(); ++i) {
    const auto draw = static_cast<float>(splitmix64(seed, i) >> 40);
    to[i] = low + (high - low) * (draw * 0x1p-24f);
  }
}

void fill_normal_float(std::span<float> to, float deviation, uint64_t seed) {
  for (size_t i = 0; i < to.size(); ++i) {
    const uint64_t draw = splitmix64(seed, i / 2);
    const double first = (static_cast<double>(draw >> 32) + 0.5) * 0x1p-32;  // never 0
    const double angle = 2 * std::numbers::pi * static_cast<double>(draw & 0xffffffff) * 0x1p-32;
    const double radius = deviation * std::sqrt(-2 * std::log(first));
    to[i] = static_cast<float>(radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle)));
  }
}

void fill_uniform_index(std::span<int32_t> to, uint32_t limit, uint64_t seed) {
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<int32_t>((splitmix64(seed, i) >> 32) * limit >> 32);
  }
}

}  // namespace pto2::workloads
