#pragma once

#include <cstdint>
#include <span>

#include "runtime/workloads/tile_math/tile_math.hpp"

namespace pto2::workloads {

/// Output i of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// 2014, figure 3) seeded with `seed`. Being a function of the index it needs no state.
constexpr uint64_t splitmix64(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Element i is uniform over 65536 equidistant values of (low, high), rounded to `format`: 16 bits
/// number i % 4 of splitmix64(seed, i / 4) choose it.
void fill_uniform_half(std::span<uint16_t> to, HalfFormat format, float low, float high,
                       uint64_t seed);

/// The same in float, 24 bits of splitmix64(seed, i).
void fill_uniform_float(std::span<float> to, float low, float high, uint64_t seed);

/// Element i is normal with this standard deviation around 0: Box and Muller, "A note on the
/// generation of random normal deviates" (1958), from splitmix64(seed, i / 2).
void fill_normal_float(std::span<float> to, float deviation, uint64_t seed);

/// Element i is uniform in 0..limit-1, from the upper 32 bits of splitmix64(seed, i).
void fill_uniform_index(std::span<int32_t> to, uint32_t limit, uint64_t seed);

}  // namespace pto2::workloads
