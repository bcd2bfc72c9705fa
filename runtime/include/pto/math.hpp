/// Exponential and logarithm of floats, in a form that compilers turn into vector instructions.
/// Both are computed in double and rounded once: the error is below 0.51 units in the last place.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace pto::detail {

inline int64_t bits_of(double value) {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline double double_of(int64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// What floating point decides with ?: compilers do by jumps, since a comparison may trap, and a
// loop with jumps is not turned into vector instructions. So bits decide, by masks: all of them, or
// none.

inline uint32_t mask_if(bool condition) {
  return condition ? ~uint32_t{0} : 0;
}
inline uint32_t select(uint32_t mask, uint32_t then, uint32_t otherwise) {
  return (then & mask) | (otherwise & ~mask);
}
/// Of the bits of a float.
inline uint32_t mask_if_nan(uint32_t bits) {
  return mask_if((bits & 0x7FFFFFFF) > 0x7F800000);
}

/// e^x = 2^k e^r, with |r| <= ln 2 / 2.
inline float exponential(float value) {
  // Beyond -150 and 100 the result is 0 or infinite as a float. The bits of positive floats, as
  // those of negative ones, are in the order of their distance from 0.
  const uint32_t given = bits_of(value);
  const int32_t below =
      static_cast<int32_t>(given) < 0x42C80000 ? static_cast<int32_t>(given) : 0x42C80000;
  const uint32_t clamped = static_cast<uint32_t>(below);
  const double x = float_of(clamped < 0xC3160000 ? clamped : 0xC3160000);
  constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: the sum has k in its lowest bits
  const double shifted = x * 1.4426950408889634 + shift;
  const double k = shifted - shift;
  const double r = x - k * 0.6931471805599453;
  double p = 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const uint64_t exponent = static_cast<uint64_t>(bits_of(shifted)) << 52;
  const float result = static_cast<float>(
      double_of(static_cast<int64_t>(static_cast<uint64_t>(bits_of(p)) + exponent)));
  return float_of(select(mask_if_nan(given), given, bits_of(result)));
}

/// log x = k ln 2 + log m, with m between sqrt(1/2) and sqrt(2), and log m = 2 atanh((m-1)/(m+1)).
inline float logarithm(float value) {
  const float positive = value + 0.0F;  // not -0
  const uint32_t given = bits_of(positive);
  const double x = positive;
  const uint64_t bits = static_cast<uint64_t>(bits_of(x));
  constexpr uint64_t sqrt_half = 0x3FE6A09E667F3BCD;
  // The distance of the exponents, with m >= sqrt(1/2), where a double has its exponent.
  const int64_t distance = static_cast<int64_t>(bits - sqrt_half);
  const int64_t k = distance & ~((int64_t{1} << 52) - 1);
  const double m = double_of(static_cast<int64_t>(bits - static_cast<uint64_t>(k)));
  // The exponents' distance in the lowest bits of 2^52, with 1024 added so that it is positive.
  const double shifted = double_of(((k >> 52) + 1024) | 0x4330000000000000);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  p = p * z + 2.0;
  const double whole = shifted - 4503599627370496.0 - 1024.0;
  const float result = static_cast<float>(whole * 0.6931471805599453 + p * s);
  // Of 0 -infinity, of an infinity itself, and of what is negative or a NaN a NaN.
  const uint32_t sign = static_cast<uint32_t>(static_cast<int32_t>(given) >> 31);
  const uint32_t special = bits_of(positive - 1.0F / positive) | sign;
  const uint32_t regular = mask_if(given - 1 < 0x7F7FFFFF);
  return float_of(select(regular, bits_of(result), special));
}

}  // namespace pto::detail
