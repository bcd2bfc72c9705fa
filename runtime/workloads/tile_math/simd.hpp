/// Vectors of `Lanes` floats. Everything here has internal linkage: the file is compiled once per
/// instruction set, and the linker must not merge the copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/workloads/tile_math/tile_math.hpp"

namespace pto2::workloads {
namespace {

template <class T, int Lanes>
struct VectorOf {
  using Type [[gnu::vector_size(Lanes * sizeof(T))]] = T;
};

template <int Lanes>
struct Simd {
  using Float = typename VectorOf<float, Lanes>::Type;
  using Bits = typename VectorOf<uint32_t, Lanes>::Type;
  using Mask = typename VectorOf<int32_t, Lanes>::Type;
  using Half = typename VectorOf<uint16_t, Lanes>::Type;

  template <class V, class T>
  static V load(const T* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  /// The first `count` elements; the rest is zero.
  template <class V, class T>
  static V load_first(const T* from, size_t count) {
    V v{};
    std::memcpy(&v, from, count * sizeof(T));
    return v;
  }
  template <class V, class T>
  static void store(T* to, const V& v) {
    std::memcpy(to, &v, sizeof v);
  }
  template <class V, class T>
  static void store_first(T* to, const V& v, size_t count) {
    std::memcpy(to, &v, count * sizeof(T));
  }

  static Float broadcast(float x) { return x - Float{}; }

  /// 16-bit floats to float, exactly.
  template <HalfFormat Format>
  static Float widen(Half h) {
    const Bits x = __builtin_convertvector(h, Bits);
    if constexpr (Format == HalfFormat::bfloat16) {
      return (Float)(x << 16);
    } else {
      // Shifted into place the exponent is 112 too small; the product also normalises.
      const Float scaled = (Float)((x & 0x7fff) << 13) * 0x1p112f;
      const Bits special = (Bits)((x & 0x7c00) == 0x7c00) & 0x7f800000;
      return (Float)((Bits)scaled | special | ((x & 0x8000) << 16));
    }
  }

  /// Float to 16 bits, to nearest, ties to even.
  template <HalfFormat Format>
  static Half narrow(Float f) {
    const Bits x = (Bits)f;
    const Bits sign = (x >> 16) & 0x8000;
    const Bits magnitude = x & 0x7fffffff;
    const Mask is_nan = (Mask)(magnitude > 0x7f800000);
    Bits result;
    if constexpr (Format == HalfFormat::bfloat16) {
      const Bits rounded = (magnitude + 0x7fff + ((magnitude >> 16) & 1)) >> 16;
      result = (Bits)(is_nan ? (Mask)(Bits{} + 0x7fc0) : (Mask)rounded);
    } else {
      // Normal: drop 13 bits after rebasing the exponent from 127 to 15.
      const Bits normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
      // Below 2^-14: adding 0.5 lets the hardware round at the last subnormal bit.
      const Bits subnormal = (Bits)((Float)magnitude + 0.5f) - 0x3f000000;
      const Mask is_small = (Mask)(magnitude < 0x38800000);
      const Mask is_huge = (Mask)(magnitude >= 0x477ff000);
      const Mask finite = is_small ? (Mask)subnormal : (Mask)normal;
      const Mask ordered = is_huge ? (Mask)(Bits{} + 0x7c00) : finite;
      result = (Bits)(is_nan ? (Mask)(Bits{} + 0x7e00) : ordered);
    }
    return __builtin_convertvector(result | sign, Half);
  }

  /// exp(x) for x <= 0, relative error below 3e-7; 0 below -87; NaN stays NaN. Argument reduction
  /// after Cody and Waite, "Software Manual for the Elementary Functions" (1980), chapter 6, then
  /// the Taylor polynomial of degree 7.
  static Float exp_of_negative(Float x) {
    // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
    const Float shifted = x * 1.44269504f + 12582912.0f;
    const Float n = shifted - 12582912.0f;
    const Float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    Float p = broadcast(1.0f / 5040);
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    const Float power = (Float)(((Bits)shifted << 23) + 0x3f800000);
    const Mask underflow = (Mask)(x < -87.0f);
    return (Float)(underflow ? Mask{} : (Mask)(p * power));
  }

  static float sum(Float v) {
    float s = 0;
    for (int i = 0; i < Lanes; ++i) s += v[i];
    return s;
  }
  static float max(Float v) {
    float m = v[0];
    for (int i = 1; i < Lanes; ++i) m = v[i] > m ? v[i] : m;
    return m;
  }
};

}  // namespace
}  // namespace pto2::workloads
