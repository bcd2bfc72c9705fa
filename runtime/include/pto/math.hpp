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

/// e^x = 2^k e^r, with |r| <= ln 2 / 2.
inline float exponential(float value) {
  double x = value;
  // Beyond these the result is 0 or infinite as a float. A NaN stays one.
  x = x < -150.0 ? -150.0 : x;
  x = x > 100.0 ? 100.0 : x;
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
  return static_cast<float>(
      double_of(static_cast<int64_t>(static_cast<uint64_t>(bits_of(p)) + exponent)));
}

/// log x = k ln 2 + log m, with m between sqrt(1/2) and sqrt(2), and log m = 2 atanh((m-1)/(m+1)).
inline float logarithm(float value) {
  const double x = value;
  constexpr int64_t sqrt_half = 0x3FE6A09E667F3BCD;
  // The distance of the exponents, with m >= sqrt(1/2).
  const int64_t k = (bits_of(x) - sqrt_half) >> 52;
  const double m = double_of(bits_of(x) - k * (int64_t{1} << 52));
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  p = p * z + 2.0;
  double result = static_cast<double>(k) * 0.6931471805599453 + p * s;
  result = x == 0.0 ? -std::numeric_limits<double>::infinity() : result;
  result = x < 0.0 ? std::numeric_limits<double>::quiet_NaN() : result;
  // Of an infinity itself, and of a NaN.
  result = x < std::numeric_limits<double>::infinity() ? result : x;
  return static_cast<float>(result);
}

}  // namespace pto::detail
