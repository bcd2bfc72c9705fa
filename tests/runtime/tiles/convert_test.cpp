/// TCVT: each rounding mode, at ties, near them and beyond what the type has.
#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test {
namespace {

using pto::RoundMode;

/// The whole number that the mode makes of it.
Wide rounded(Wide value, RoundMode mode) {
  const Wide down = std::floor(value), up = std::ceil(value);
  const Wide to_zero = value < 0 ? up : down, away = value < 0 ? down : up;
  const bool down_is_even = std::fmod(down, 2) == 0;
  const Wide to_nearest = value - down < up - value ? down : up;
  const bool is_tie = value - down == up - value;
  switch (mode) {
    case RoundMode::CAST_FLOOR:
      return down;
    case RoundMode::CAST_CEIL:
      return up;
    case RoundMode::CAST_TRUNC:
      return to_zero;
    case RoundMode::CAST_ROUND:
      return is_tie ? away : to_nearest;
    case RoundMode::CAST_ODD:
      return down_is_even ? up : down;
    default:
      return is_tie ? (down_is_even ? down : up) : to_nearest;
  }
}

/// The value as one of `digits` digits.
Wide rounded_to(Wide value, RoundMode mode, int digits, int min_exponent) {
  if (value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 1, min_exponent) - (digits - 1);
  return std::ldexp(rounded(std::ldexp(value, -unit), mode), unit);
}

template <class To>
To reference(Wide value, RoundMode mode) {
  if constexpr (std::is_same_v<To, half>) {
    return static_cast<To>(rounded_to(value, mode, 11, -14));
  } else if constexpr (std::is_same_v<To, bfloat16_t>) {
    return To(static_cast<float>(rounded_to(value, mode, 8, -126)));
  } else if constexpr (std::is_same_v<To, float>) {
    return static_cast<float>(rounded_to(value, mode, 24, -126));
  } else {
    const Wide whole = rounded(value, mode);
    const Wide low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(std::clamp(whole, low, high));
  }
}

constexpr RoundMode modes[] = {RoundMode::CAST_NONE,  RoundMode::CAST_RINT, RoundMode::CAST_ROUND,
                               RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL, RoundMode::CAST_TRUNC,
                               RoundMode::CAST_ODD};

/// From what next() draws.
template <class To, class From>
void expect_conversion(const std::function<From()>& next) {
  RowTile<From, 4, 32> from(4, 29);
  RowTile<To, 4, 32> to(4, 29);
  TASSIGN(from, 0);
  TASSIGN(to, 4096);
  fill_randomly(pto::TileType::Vec);
  fill(from, next);
  const Values<RowTile<From, 4, 32>> values(from);
  for (const RoundMode mode : modes)
    expect_valid(
        "TCVT mode " + std::to_string(static_cast<int>(mode)), to,
        [&] { pto::TCVT(to, from, mode); },
        [&](int i, int j) { return reference<To>(values(i, j), mode); });
}

/// Multiples of a quarter of the unit that To has there, so that a fourth are ties.
float near_ties(int digits, int exponent) {
  const auto quarters = static_cast<float>(random_int(1 << (digits + 1), (1 << (digits + 2)) - 1));
  const float value = std::ldexp(quarters, exponent - digits - 1);
  return random_int(0, 1) == 0 ? value : -value;
}

TEST(Convert, FloatToSmallerFloats) {
  expect_conversion<half, float>([] { return near_ties(11, random_int(-3, 14)); });
  expect_conversion<half, float>([] { return std::ldexp(float(random_int(-99, 99)), -27); });
  expect_conversion<bfloat16_t, float>([] { return near_ties(8, random_int(-100, 100)); });
}
TEST(Convert, FloatsToIntegers) {
  const auto quarters = [] { return static_cast<float>(random_int(-999, 999)) / 4; };
  expect_conversion<int32_t, float>(quarters);
  expect_conversion<int32_t, float>([] { return near_ties(20, random_int(28, 33)); });
  expect_conversion<int16_t, float>([] { return near_ties(18, random_int(13, 16)); });
  expect_conversion<int8_t, half>([=] { return static_cast<half>(quarters()); });
}
TEST(Convert, ToFloat) {
  expect_conversion<float, int32_t>([] { return random_element<int32_t>(); });
  expect_conversion<half, int16_t>([] { return random_element<int16_t>(); });
  expect_conversion<float, half>([] { return random_element<half>(); });
  expect_conversion<float, bfloat16_t>([] { return random_element<bfloat16_t>(); });
}

TEST(Convert, BeyondTheType) {
  RowTile<float, 1, 8> from(1, 8);
  RowTile<half, 1, 16> halves(1, 8);
  RowTile<int16_t, 1, 16> integers(1, 8);
  TASSIGN(from, 0);
  TASSIGN(halves, 64);
  TASSIGN(integers, 128);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {65519, 65520, -70000, infinity, -infinity, nan, 40000, -32769};
  std::copy_n(values, 8, from.data());

  pto::TCVT(halves, from, RoundMode::CAST_RINT);
  const half* const h = halves.data();
  EXPECT_EQ(float(h[0]), 65504);
  EXPECT_EQ(float(h[1]), infinity);
  EXPECT_EQ(float(h[2]), -infinity);
  EXPECT_EQ(float(h[4]), -infinity);
  EXPECT_TRUE(std::isnan(float(h[5])));
  pto::TCVT(halves, from, RoundMode::CAST_RINT, pto::SaturationMode::ON);
  EXPECT_EQ(float(h[1]), 65504);
  EXPECT_EQ(float(h[2]), -65504);

  pto::TCVT(integers, from, RoundMode::CAST_RINT);
  const int16_t* const i = integers.data();
  EXPECT_EQ(i[2], -32768);
  EXPECT_EQ(i[3], 32767);
  EXPECT_EQ(i[5], 0);
  EXPECT_EQ(i[6], 32767);
  pto::TCVT(integers, from, RoundMode::CAST_RINT, pto::SaturationMode::OFF);
  EXPECT_EQ(i[6], 40000 - 65536);
  EXPECT_EQ(i[7], 32767);
}

/// The lowest bits of a value that has more than 64 are all 0, as of one that is a multiple of what
/// the type can tell apart. An infinity and a NaN have none.
TEST(Convert, LowestBits) {
  const auto expect = [](auto like, int64_t of_minus_one) {
    using To = decltype(like);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float values[] = {9223372036854775808.0F,
                            -9223372036854775808.0F,
                            18446744073709551616.0F,
                            -3e30F,
                            infinity,
                            -infinity,
                            NAN,
                            -1};
    RowTile<float, 1, 8> from(1, 8);
    RowTile<To, 1, 32> to(1, 8);
    TASSIGN(from, 0);
    TASSIGN(to, 64);
    std::copy_n(values, 8, from.data());
    pto::TCVT(to, from, RoundMode::CAST_RINT, pto::SaturationMode::OFF);
    for (int i = 0; i < 7; ++i) EXPECT_EQ(to.data()[i], 0) << i << " of " << sizeof(To);
    EXPECT_EQ(static_cast<int64_t>(to.data()[7]), of_minus_one);
  };
  expect(int32_t{}, -1);
  expect(uint32_t{}, 0xFFFFFFFF);
  expect(int16_t{}, -1);
  expect(uint8_t{}, 0xFF);
  RowTile<float, 1, 8> from(1, 3);
  RowTile<int64_t, 1, 8> to(1, 3);
  TASSIGN(from, 0);
  TASSIGN(to, 64);
  from.data()[0] = 9223372036854775808.0F;
  from.data()[1] = -36893488147419103232.0F;
  from.data()[2] = 18446746272732807168.0F;
  pto::TCVT(to, from, RoundMode::CAST_RINT, pto::SaturationMode::OFF);
  EXPECT_EQ(to.data()[0], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(to.data()[1], 0);
  EXPECT_EQ(to.data()[2], int64_t{1} << 41);
}

}  // namespace
}  // namespace pto2::test
