/// TCVT: conversions of element types with a rounding mode.
#pragma once

#include <cmath>
#include <limits>

#include "pto/accesses.hpp"
#include "pto/elements.hpp"
#include "pto/half_lines.hpp"
#include "pto/math.hpp"

namespace pto {
namespace detail {

/// By rint(), to the nearest and ties to even, since that alone is a vector instruction which
/// compilers use without being told that nobody looks at traps.
template <RoundMode Mode>
double round_integral(double value) {
  const double nearest = std::rint(value);
  switch (Mode) {
    case RoundMode::CAST_FLOOR:
      return nearest - (nearest > value ? 1.0 : 0.0);
    case RoundMode::CAST_CEIL:
      return std::copysign(nearest + (nearest < value ? 1.0 : 0.0), value);
    case RoundMode::CAST_TRUNC: {
      const double magnitude = std::fabs(value), whole = std::rint(magnitude);
      return std::copysign(whole - (whole > magnitude ? 1.0 : 0.0), value);
    }
    case RoundMode::CAST_ROUND: {
      const double magnitude = std::fabs(value), whole = std::rint(magnitude);
      return std::copysign(whole + (magnitude - whole == 0.5 ? 1.0 : 0.0), value);
    }
    case RoundMode::CAST_ODD: {
      const double low = nearest - (nearest > value ? 1.0 : 0.0);
      const bool is_even = std::rint(low * 0.5) == low * 0.5;
      return std::copysign(low + (low != value && is_even ? 1.0 : 0.0), value);
    }
    default:
      return nearest;
  }
}

/// The significant digits of a float type, and the exponent of its smallest normal value.
template <class T>
struct FloatFormat;
template <>
struct FloatFormat<half> {
  static constexpr int digits = 11, min_exponent = -14;
  static constexpr float largest = 65504.0F;
};
template <>
struct FloatFormat<bfloat16_t> {
  static constexpr int digits = 8, min_exponent = -126;
  static constexpr float largest = 3.3895313892515355e38F;
};
template <>
struct FloatFormat<float> {
  static constexpr int digits = 24, min_exponent = -126;
  static constexpr float largest = std::numeric_limits<float>::max();
};

/// Whether T has all values of From.
template <class T, class From>
inline constexpr bool holds_all_of =
    std::is_same<T, float>::value
        ? is_small_float<From> || sizeof(From) < 4
        : std::is_same<T, half>::value&& std::is_integral<From>::value && sizeof(From) == 1;

/// `value` rounded to what T can have. An infinity and a NaN stay as they are.
template <class T, RoundMode Mode>
double round_digits(double value) {
  using Format = FloatFormat<T>;
  const int64_t biased = bits_of(value) >> 52 & 0x7FF;
  const int64_t least = Format::min_exponent + 1023;
  const int64_t exponent = biased < least ? least : biased;
  // 2^(digits - 1 - exponent), and its inverse: with the former the value is whole.
  const int64_t up = Format::digits - 1 + 2 * 1023 - exponent;
  const int64_t down = exponent - (Format::digits - 1);
  const double rounded = round_integral<Mode>(value * double_of(up << 52)) * double_of(down << 52);
  const int64_t finite = -static_cast<int64_t>(biased != 0x7FF);
  return double_of((bits_of(rounded) & finite) | (bits_of(value) & ~finite));
}

inline constexpr bool rounds_to_nearest(RoundMode mode) {
  return mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT;
}

/// As a double. Of a value with too many digits the last one is odd, so that it is rounded to fewer
/// as the value itself is.
template <class From>
double as_double(From value) {
  if constexpr (std::is_integral<From>::value && sizeof(From) == 8) {
    constexpr From limit = From{1} << 53;
    const bool is_exact = value < limit && (std::is_unsigned<From>::value || value > -limit);
    const From upper = static_cast<From>(value >> 11 | ((value & 2047) != 0 ? 1 : 0));
    return is_exact ? static_cast<double>(value) : static_cast<double>(upper) * 2048;
  } else {
    return static_cast<double>(value);
  }
}

/// What To is made of, which has the value but for overflow.
template <class To, RoundMode Mode, class From>
float round_float(From value, bool saturate) {
  using Format = FloatFormat<To>;
  float result;
  // Where a float has all of the value that To can have, or is To.
  constexpr bool rounds_once =
      !std::is_same<To, bfloat16_t>::value || is_float<From> || sizeof(From) < sizeof(float);
  if constexpr (holds_all_of<To, From> || (rounds_to_nearest(Mode) && rounds_once)) {
    result = static_cast<float>(value);  // which the cast below rounds, too
  } else {
    result = static_cast<float>(round_digits<To, Mode>(as_double(value)));
  }
  if (saturate) {
    result = result > Format::largest ? Format::largest : result;
    result = result < -Format::largest ? -Format::largest : result;
  }
  return result;
}
template <class To, RoundMode Mode, class From>
To to_float(From value, bool saturate) {
  return static_cast<To>(round_float<To, Mode>(value, saturate));
}

/// The value as an integer of up to 32 bits, at their limits; of a NaN 0. Without jumps, so that a
/// loop over it is turned into vector instructions.
template <class To>
To to_integer_within(double whole) {
  constexpr double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  using Wide = std::conditional_t<std::is_same<To, uint32_t>::value, int64_t, int32_t>;
  double within = whole < low ? low : whole;
  within = within > high ? high : within;
  within = within == within ? within : 0.0;
  return static_cast<To>(static_cast<Wide>(within));
}

/// The value as an integer: at the limits of To, or its lowest bits. Of a NaN 0; an infinity has no
/// lowest bits, and is 0 then.
template <class To>
To to_integer(double whole, bool saturate) {
  if constexpr (sizeof(To) <= sizeof(int32_t))
    if (saturate) return to_integer_within<To>(whole);
  constexpr double low = static_cast<double>(std::numeric_limits<To>::min());
  constexpr double beyond = static_cast<double>(std::numeric_limits<To>::max() / 2 + 1) * 2;
  if (saturate) {
    if (whole < low) return std::numeric_limits<To>::min();
    if (whole >= beyond) return std::numeric_limits<To>::max();
  }
  constexpr double two_64 = 18446744073709551616.0;
  double magnitude = std::fabs(whole);
  if (!(magnitude < two_64))
    magnitude = std::isfinite(magnitude) ? std::fmod(magnitude, two_64) : 0.0;
  const auto bits = static_cast<uint64_t>(magnitude);
  return static_cast<To>(whole < 0 ? 0 - bits : bits);
}

template <class To, class From>
To integer_to_integer(From value, bool saturate) {
  if (saturate) {
    const bool is_below =
        std::is_signed<From>::value && value < 0 &&
        (!std::is_signed<To>::value ||
         static_cast<int64_t>(value) < static_cast<int64_t>(std::numeric_limits<To>::min()));
    if (is_below) return std::numeric_limits<To>::min();
    if (value > 0 &&
        static_cast<uint64_t>(value) > static_cast<uint64_t>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
  }
  return static_cast<To>(value);
}

template <class To, RoundMode Mode, class From>
To convert(From value, bool saturate) {
  constexpr bool from_float = is_float<From>;
  if constexpr (std::is_same<To, From>::value && from_float) {
    return as<To>(static_cast<float>(round_integral<Mode>(static_cast<double>(as<float>(value)))));
  } else if constexpr (from_float && is_float<To>) {
    if constexpr (holds_all_of<To, From>) return static_cast<To>(value);
    return to_float<To, Mode>(static_cast<float>(value), saturate);
  } else if constexpr (is_float<To>) {
    return to_float<To, Mode>(value, saturate);
  } else if constexpr (from_float) {
    return to_integer<To>(round_integral<Mode>(static_cast<double>(as<float>(value))), saturate);
  } else {
    return integer_to_integer<To>(value, saturate);
  }
}

/// n elements of a line.
template <RoundMode Mode, bool Saturate, class To, class From>
void convert_line(To* to, const From* from, int n) {
  constexpr int chunk = 64;
  float floats[chunk];
  if constexpr (std::is_same<From, To>::value || (is_small_float<From> && is_small_float<To>)) {
    for (int k = 0; k < n; ++k) to[k] = convert<To, Mode>(from[k], Saturate);
  } else if constexpr (std::is_same<From, half>::value) {
    for (int begin = 0; begin < n; begin += chunk) {
      const int length = std::min(chunk, n - begin);
      widen(floats, from + begin, length);
      PTO2_INDEPENDENT
      for (int k = 0; k < length; ++k)
        to[begin + k] = std::is_same<To, float>::value ? as<To>(floats[k])
                                                       : convert<To, Mode>(floats[k], Saturate);
    }
  } else if constexpr (std::is_same<To, half>::value) {
    for (int begin = 0; begin < n; begin += chunk) {
      const int length = std::min(chunk, n - begin);
      for (int k = 0; k < length; ++k)
        floats[k] = round_float<half, Mode>(from[begin + k], Saturate);
      narrow(to + begin, floats, length);
    }
  } else {
    PTO2_INDEPENDENT
    for (int k = 0; k < n; ++k) to[k] = convert<To, Mode>(from[k], Saturate);
  }
}

template <RoundMode Mode, bool Saturate, class Dst, class Src>
void convert_elements(const Dst& dst, const Src& src) {
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  const int rows = dst.GetValidRow(), cols = dst.GetValidCol();
  if constexpr (have_same_lines<Dst, Src>) {
    constexpr bool by_rows = Dst::TileLayout::is_row_major;
    for (int line = 0; line < (by_rows ? rows : cols); ++line)
      convert_line<Mode, Saturate>(&to(by_rows ? line : 0, by_rows ? 0 : line),
                                   &from(by_rows ? line : 0, by_rows ? 0 : line),
                                   by_rows ? cols : rows);
  } else {
    for_each_element<Dst>(rows, cols, [&](int i, int j) {
      to(i, j) = convert<typename Dst::DType, Mode>(from(i, j), Saturate);
    });
  }
}

template <RoundMode Mode, class Dst, class Src>
void convert_tile(const Dst& dst, const Src& src, bool saturate) {
  if (saturate) return convert_elements<Mode, true>(dst, src);
  convert_elements<Mode, false>(dst, src);
}

template <class Dst, class Src, class Tmp = NoScratch>
RecordEvent convert_tile(const Use& use, Dst& dst, const Src& src, RoundMode mode, bool saturate,
                         const Tmp& tmp = {}) {
  begin_with_scratch(use, tmp, dst, src);
  switch (mode) {
    case RoundMode::CAST_NONE:
    case RoundMode::CAST_RINT:
      convert_tile<RoundMode::CAST_RINT>(dst, src, saturate);
      break;
    case RoundMode::CAST_ROUND:
      convert_tile<RoundMode::CAST_ROUND>(dst, src, saturate);
      break;
    case RoundMode::CAST_FLOOR:
      convert_tile<RoundMode::CAST_FLOOR>(dst, src, saturate);
      break;
    case RoundMode::CAST_CEIL:
      convert_tile<RoundMode::CAST_CEIL>(dst, src, saturate);
      break;
    case RoundMode::CAST_TRUNC:
      convert_tile<RoundMode::CAST_TRUNC>(dst, src, saturate);
      break;
    case RoundMode::CAST_ODD:
      convert_tile<RoundMode::CAST_ODD>(dst, src, saturate);
      break;
  }
  return {};
}

}  // namespace detail

/// Integers saturate unless told otherwise, and floats become infinite.
template <class Dst, class Src>
RecordEvent TCVT(Dst& dst, Src& src, RoundMode mode, detail::Site site = detail::Site::here()) {
  return detail::convert_tile({"TCVT", PIPE_V, site}, dst, src, mode,
                              !detail::is_float<typename Dst::DType>);
}
template <class Dst, class Src>
RecordEvent TCVT(Dst& dst, Src& src, RoundMode mode, SaturationMode saturation,
                 detail::Site site = detail::Site::here()) {
  return detail::convert_tile({"TCVT", PIPE_V, site}, dst, src, mode,
                              saturation == SaturationMode::ON);
}
template <class Dst, class Src, class Tmp>
RecordEvent TCVT(Dst& dst, Src& src, Tmp& tmp, RoundMode mode,
                 detail::Site site = detail::Site::here()) {
  return detail::convert_tile({"TCVT", PIPE_V, site}, dst, src, mode,
                              !detail::is_float<typename Dst::DType>, tmp);
}
template <class Dst, class Src, class Tmp>
RecordEvent TCVT(Dst& dst, Src& src, Tmp& tmp, RoundMode mode, SaturationMode saturation,
                 detail::Site site = detail::Site::here()) {
  return detail::convert_tile({"TCVT", PIPE_V, site}, dst, src, mode,
                              saturation == SaturationMode::ON, tmp);
}

}  // namespace pto
