/// Element types, enumerations and constants of tile instructions, and the words that kernels put
/// in front of functions and pointers. C++17, header only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifndef __gm__
#define __gm__
#endif
#ifndef __ubuf__
#define __ubuf__
#endif
#ifndef __aicore__
#define __aicore__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef AICORE
#define AICORE
#endif
#ifndef PTO_INTERNAL
#define PTO_INTERNAL inline
#endif
#ifndef PTO_INST
#define PTO_INST inline
#endif

using half = _Float16;

/// The upper half of a float. Arithmetic is that of float; a float becomes the nearest one, ties to
/// even.
struct bfloat16_t {
  uint16_t bits;

  bfloat16_t() = default;
  bfloat16_t(float value) : bits(nearest(value)) {}
  operator float() const {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }

 private:
  static uint16_t nearest(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    const uint32_t rounded = (wide + 0x7FFF + (wide >> 16 & 1)) >> 16;
    // Rounding could carry a NaN into an infinity: it keeps its upper bits and is made quiet.
    return static_cast<uint16_t>(value != value ? wide >> 16 | 0x40 : rounded);
  }
};
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable<bfloat16_t>::value);

/// The pipes of a core, each of which runs its instructions in order.
enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t {
  EVENT_ID0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7
};

namespace pto {

inline constexpr int DYNAMIC = -1;
inline constexpr int C0_SIZE_BYTE = 32;
inline constexpr int BLOCK_BYTE_SIZE = 32;
inline constexpr int FRACTAL_NZ_ROW = 16;
inline constexpr int CUBE_BLOCK_SIZE = 512;

struct TileConfig {
  static constexpr int alignedSize = 32;
  static constexpr int fractalABSize = 512;
  static constexpr int fractalCSize = 1024;
};

enum class TileType { Vec, Mat, Left, Right, Acc, Bias, Scaling };
enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };
enum class Layout { ND, DN, NZ };
enum class PadValue { Null, Zero, Max, Min };
enum class CompactMode { Null, Normal, RowPlusOne };
enum class RoundMode {
  CAST_NONE,
  CAST_RINT,
  CAST_ROUND,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_TRUNC,
  CAST_ODD
};
enum class SaturationMode { OFF, ON };
enum class AtomicType { AtomicNone, AtomicAdd, AtomicMax, AtomicMin };
enum class ReluPreMode { NoRelu, NormalRelu };
enum class AccPhase { Unspecified, Partial, Final };
enum class ExpAlgorithm { DEFAULT, HIGH_PRECISION };
enum class LogAlgorithm { DEFAULT, HIGH_PRECISION };
enum class SqrtAlgorithm { DEFAULT, HIGH_PRECISION };
enum class DivAlgorithm { DEFAULT, HIGH_PRECISION };
enum class RecipAlgorithm { DEFAULT, HIGH_PRECISION };
enum class RsqrtAlgorithm { DEFAULT, HIGH_PRECISION };

/// What an instruction returns. Instructions are over when they return: there is nothing to wait
/// for.
struct RecordEvent {};

namespace detail {

/// A place in the kernel's source: as the default value of a parameter, that of the call.
struct Site {
  const char* file;
  int line;

  static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// A size that a kernel has computed. One that does not fit becomes the nearest that does, which no
/// tile has.
constexpr int as_size(int64_t size) {
  constexpr int64_t largest = INT32_MAX, lowest = INT32_MIN;
  return static_cast<int>(size > largest ? largest : size < lowest ? lowest : size);
}

template <class T>
inline constexpr bool is_small_float =
    std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value;
template <class T>
inline constexpr bool is_float = is_small_float<T> || std::is_same<T, float>::value;

/// What arithmetic on T is done in.
template <class T>
using arithmetic_t = std::conditional_t<is_float<T>, float, T>;

/// Its name in messages; null: no tile has such elements.
template <class T>
constexpr const char* type_name() {
  if (std::is_same<T, float>::value) return "float";
  if (std::is_same<T, half>::value) return "half";
  if (std::is_same<T, bfloat16_t>::value) return "bfloat16_t";
  if (!std::is_integral<T>::value || std::is_same<T, bool>::value) return nullptr;
  constexpr const char* names[] = {"uint8_t",  "int8_t",  "uint16_t", "int16_t",
                                   "uint32_t", "int32_t", "uint64_t", "int64_t"};
  constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return names[2 * log2_size + std::is_signed<T>::value];
}

}  // namespace detail
}  // namespace pto
