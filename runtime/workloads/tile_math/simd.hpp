/// Vectors of `Lanes` floats. Everything here has internal linkage: the file is compiled once per
/// instruction set, and the linker must not merge the copies.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

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
  /// The first `count` elements, at most Lanes; the rest is zero. Reads no others.
  template <class V, class T>
  static V load_first(const T* from, size_t count) {
    V v{};
#ifdef __AVX512VL__
    if constexpr (Lanes == 16 && std::is_same_v<V, Float>) {
      return (V)_mm512_maskz_loadu_ps(static_cast<__mmask16>(bits_of(count)), from);
    } else if constexpr (Lanes == 16 && std::is_same_v<V, Half>) {
      return (V)_mm256_maskz_loadu_epi16(static_cast<__mmask16>(bits_of(count)), from);
    }
#endif
#ifdef __AVX__
    // One load: a vector that is put together in memory waits for the stores of its parts.
    if constexpr (Lanes == 8 && std::is_same_v<V, Float>) {
      return (V)_mm256_maskload_ps(from, (__m256i)first_lanes(count));
    }
#endif
    in_steps(count, [&](size_t begin, auto step) {
      std::memcpy(reinterpret_cast<T*>(&v) + begin, from + begin, step * sizeof(T));
    });
    return v;
  }
  template <class V, class T>
  static void store(T* to, const V& v) {
    std::memcpy(to, &v, sizeof v);
  }
  /// The same backwards. Writes no others.
  template <class V, class T>
  static void store_first(T* to, const V& v, size_t count) {
#ifdef __AVX512VL__
    if constexpr (Lanes == 16 && std::is_same_v<V, Float>) {
      return _mm512_mask_storeu_ps(to, static_cast<__mmask16>(bits_of(count)), (__m512)v);
    } else if constexpr (Lanes == 16 && std::is_same_v<V, Half>) {
      return _mm256_mask_storeu_epi16(to, static_cast<__mmask16>(bits_of(count)), (__m256i)v);
    }
#endif
    in_steps(count, [&](size_t begin, auto step) {
      std::memcpy(to + begin, reinterpret_cast<const T*>(&v) + begin, step * sizeof(T));
    });
  }
  /// True in the first `count` lanes.
  static Mask first_lanes(size_t count) {
    return [&]<int... i>(std::integer_sequence<int, i...>) {
      return Mask{i...} < static_cast<int32_t>(count);
    }
    (std::make_integer_sequence<int, Lanes>{});
  }

  static Float broadcast(float x) {
    return x - Float{};
  }

  /// 16-bit floats to float, exactly.
  template <HalfFormat Format>
  static Float widen(Half h) {
    if constexpr (Format == HalfFormat::bfloat16) {
      return (Float)(__builtin_convertvector(h, Bits) << 16);
    } else {
      return widen_float16(h);
    }
  }

  /// Float to 16 bits, to nearest, ties to even.
  template <HalfFormat Format>
  static Half narrow(Float f) {
    if constexpr (Format == HalfFormat::float16) {
      return narrow_float16(f);
    } else {
#ifdef __AVX512BF16__
      if constexpr (Lanes == 16) return (Half)_mm512_cvtneps_pbh((__m512)f);
#endif
      const Bits x = (Bits)f;
      const Bits magnitude = x & 0x7fffffff;
      const Mask is_nan = (Mask)(magnitude > 0x7f800000);
      const Bits rounded = (magnitude + 0x7fff + ((magnitude >> 16) & 1)) >> 16;
      const auto result = (Bits)(is_nan ? (Mask)(Bits{} + 0x7fc0) : (Mask)rounded);
      return __builtin_convertvector(result | ((x >> 16) & 0x8000), Half);
    }
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
    if constexpr (Lanes == 1) {
      return v[0];
    } else {
      return Simd<Lanes / 2>::sum(half<0>(v) + half<1>(v));
    }
  }
  static float max(Float v) {
    if constexpr (Lanes == 1) {
      return v[0];
    } else {
      const auto low = half<0>(v), high = half<1>(v);
      return Simd<Lanes / 2>::max(high > low ? high : low);
    }
  }

 private:
  static constexpr uint32_t bits_of(size_t count) {
    return (1u << count) - 1;
  }

  /// Calls f(begin, step) for parts of powers of two, known when compiling, that add up to count.
  template <class F>
  static void in_steps(size_t count, F&& f) {
    size_t begin = 0;
    const auto part = [&](auto step) {
      if ((count & step) == 0) return;
      f(begin, step);
      begin += step;
    };
    if constexpr (Lanes >= 16) part(std::integral_constant<size_t, 16>{});
    if constexpr (Lanes >= 8) part(std::integral_constant<size_t, 8>{});
    part(std::integral_constant<size_t, 4>{});
    part(std::integral_constant<size_t, 2>{});
    part(std::integral_constant<size_t, 1>{});
  }

  template <int Which>
  static auto half(Float v) {
    return [&]<int... i>(std::integer_sequence<int, i...>) {
      return (typename Simd<Lanes / 2>::Float)
          __builtin_shufflevector(v, v, Which * Lanes / 2 + i...);
    }
    (std::make_integer_sequence<int, Lanes / 2>{});
  }

  static Float widen_float16(Half h) {
#ifdef __AVX512F__
    // Masked, as GCC 12 takes the undefined operand of the other form for a mistake.
    if constexpr (Lanes == 16) return (Float)_mm512_maskz_cvtph_ps(0xffff, (__m256i)h);
#endif
#ifdef __F16C__
    if constexpr (Lanes == 8) return (Float)_mm256_cvtph_ps((__m128i)h);
#endif
    const Bits x = __builtin_convertvector(h, Bits);
    const Bits magnitude = (x & 0x7fff) << 13;
    const Bits exponent = magnitude & 0x0f800000;
    // Rebases the exponent from 15 to 127; that of infinities and NaN by as much again.
    const Bits special = (Bits)(exponent == 0x0f800000) & 0x38000000;
    const Bits normal = magnitude + 0x38000000 + special;
    // Without the leading bit that a subnormal does not have. No step has a subnormal float, which
    // would be slow, or zero.
    const Float subnormal = (Float)(normal + 0x00800000) - 0x1p-14f;
    const auto result = (Bits)((Mask)(exponent == 0) ? (Mask)subnormal : (Mask)normal);
    return (Float)(result | ((x & 0x8000) << 16));
  }

  static Half narrow_float16(Float f) {
#ifdef __AVX512F__
    if constexpr (Lanes == 16) {
      return (Half)_mm512_maskz_cvtps_ph(0xffff, (__m512)f, _MM_FROUND_TO_NEAREST_INT);
    }
#endif
#ifdef __F16C__
    if constexpr (Lanes == 8) return (Half)_mm256_cvtps_ph((__m256)f, _MM_FROUND_TO_NEAREST_INT);
#endif
    const Bits x = (Bits)f;
    const Bits magnitude = x & 0x7fffffff;
    const Mask is_nan = (Mask)(magnitude > 0x7f800000);
    // Normal: drop 13 bits after rebasing the exponent from 127 to 15.
    const Bits normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    // Below 2^-14: adding 0.5 lets the hardware round at the last subnormal bit.
    const Bits subnormal = (Bits)((Float)magnitude + 0.5f) - 0x3f000000;
    const Mask is_small = (Mask)(magnitude < 0x38800000);
    const Mask is_huge = (Mask)(magnitude >= 0x477ff000);
    const Mask finite = is_small ? (Mask)subnormal : (Mask)normal;
    const Mask ordered = is_huge ? (Mask)(Bits{} + 0x7c00) : finite;
    const auto result = (Bits)(is_nan ? (Mask)(Bits{} + 0x7e00) : ordered);
    return __builtin_convertvector(result | ((x >> 16) & 0x8000), Half);
  }
};

}  // namespace
}  // namespace pto2::workloads
