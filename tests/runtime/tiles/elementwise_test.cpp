/// Instructions that compute each element from those at the same place, against plain loops.
#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test {
namespace {

/// Three tiles side by side with the same random valid region, in memory that is random.
template <class T>
struct Operands {
  T dst, a, b;

  Operands() {
    fill_randomly(T::Loc);
    const int rows = random_int(1, T::Rows), cols = random_int(1, T::Cols);
    int64_t address = 0;
    for (T* const tile : {&a, &dst, &b}) {
      tile->SetValidShape(rows, cols);
      TASSIGN(*tile, address);
      fill_randomly(*tile);
      address += T::bytes + 32;
    }
  }
};

template <class Tile, class Run, class Reference>
void expect_binary(const char* name, Run run, Reference reference) {
  using T = typename Tile::DType;
  for (int repetition = 0; repetition < 3; ++repetition) {
    Operands<Tile> on;
    const Values<Tile> a(on.a), b(on.b);
    const auto expected = [&](int i, int j) { return element<T>(reference(a(i, j), b(i, j))); };
    expect_valid(
        name, on.dst, [&] { run(on.dst, on.a, on.b); }, expected);
    // In place.
    expect_valid(
        name, on.a, [&] { run(on.a, on.a, on.b); }, expected);
  }
}

template <class Tile>
void expect_arithmetic() {
  expect_binary<Tile>(
      "TADD", [](auto& d, auto& a, auto& b) { pto::TADD(d, a, b); },
      [](Wide a, Wide b) { return a + b; });
  expect_binary<Tile>(
      "TSUB", [](auto& d, auto& a, auto& b) { pto::TSUB(d, a, b); },
      [](Wide a, Wide b) { return a - b; });
  expect_binary<Tile>(
      "TMUL", [](auto& d, auto& a, auto& b) { pto::TMUL(d, a, b); },
      [](Wide a, Wide b) { return a * b; });
  expect_binary<Tile>(
      "TMAX", [](auto& d, auto& a, auto& b) { pto::TMAX(d, a, b); },
      [](Wide a, Wide b) { return std::max(a, b); });
}

template <class Tile>
void expect_scalar_arithmetic() {
  const auto scalar = random_element<typename Tile::DType>();
  const Wide s = std::is_integral_v<typename Tile::DType> ? static_cast<Wide>(scalar)
                                                          : static_cast<float>(scalar);
  expect_binary<Tile>(
      "TADDS", [=](auto& d, auto& a, auto&) { pto::TADDS(d, a, scalar); },
      [=](Wide a, Wide) { return a + s; });
  expect_binary<Tile>(
      "TMULS", [=](auto& d, auto& a, auto&) { pto::TMULS(d, a, scalar); },
      [=](Wide a, Wide) { return a * s; });
}

TEST(Elementwise, Float) {
  expect_arithmetic<RowTile<float, 7, 24>>();
  expect_arithmetic<ColTile<float, 16, 5>>();
  expect_scalar_arithmetic<RowTile<float, 7, 24>>();
}
TEST(Elementwise, Half) {
  expect_arithmetic<RowTile<half, 5, 48>>();
  expect_scalar_arithmetic<RowTile<half, 5, 48>>();
}
TEST(Elementwise, Bfloat16) {
  expect_arithmetic<RowTile<bfloat16_t, 5, 48>>();
}
TEST(Elementwise, Integers) {
  expect_arithmetic<RowTile<int32_t, 6, 16>>();
  expect_arithmetic<RowTile<int16_t, 3, 32>>();
  expect_scalar_arithmetic<RowTile<int32_t, 6, 16>>();
}

/// The results of a function, within so many units in the last place.
template <class T, class Run, class Reference>
void expect_function(const char* name, double low, double high, double ulps, Run run,
                     Reference reference) {
  using Tile = RowTile<T, 16, 64>;
  Operands<Tile> on;
  std::uniform_real_distribution<double> draw(low, high);
  fill(on.a, [&] { return static_cast<T>(draw(random_bits())); });
  const Values<Tile> before(on.a);
  run(on.dst, on.a);
  const Values<Tile> after(on.dst);
  constexpr bool is_half = std::is_same_v<T, half>;
  for (int i = 0; i < on.a.GetValidRow(); ++i)
    for (int j = 0; j < on.a.GetValidCol(); ++j) {
      const Wide exact = reference(before(i, j));
      int exponent = 0;
      std::frexp(exact, &exponent);
      const Wide unit = is_half ? std::ldexp(Wide{1}, std::max(exponent - 11, -24))
                                : std::ldexp(Wide{1}, std::max(exponent - 24, -149));
      EXPECT_LE(std::abs(after(i, j) - exact), Wide(ulps) * unit)
          << name << " of " << double(before(i, j)) << " is " << double(after(i, j));
    }
}

TEST(Elementwise, FunctionsAreAccurate) {
  const auto run_exp = [](auto& d, auto& a) { pto::TEXP(d, a); };
  const auto run_log = [](auto& d, auto& a) { pto::TLOG(d, a); };
  const auto run_sqrt = [](auto& d, auto& a) { pto::TSQRT(d, a); };
  const auto exact_exp = [](Wide x) { return std::exp(x); };
  const auto exact_log = [](Wide x) { return std::log(x); };
  const auto exact_sqrt = [](Wide x) { return std::sqrt(x); };
  expect_function<float>("TEXP", -103, 88, 0.51, run_exp, exact_exp);
  expect_function<float>("TEXP", -1, 1, 0.51, run_exp, exact_exp);
  expect_function<half>("TEXP", -16, 11, 0.51, run_exp, exact_exp);
  expect_function<float>("TLOG", 1e-38, 3e38, 0.51, run_log, exact_log);
  expect_function<float>("TLOG", 0.5, 1.5, 0.51, run_log, exact_log);
  expect_function<half>("TLOG", 0.1, 60000, 0.51, run_log, exact_log);
  expect_function<float>("TSQRT", 0, 3e38, 0.5, run_sqrt, exact_sqrt);
  expect_function<half>("TSQRT", 0, 60000, 0.51, run_sqrt, exact_sqrt);
}

TEST(Elementwise, FunctionsAtTheirLimits) {
  RowTile<float, 1, 8> in(1, 8), out(1, 8);
  TASSIGN(in, 0);
  TASSIGN(out, 32);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {-infinity, -200, 0, 89, infinity, -103.5F, nan, 1};
  std::copy_n(values, 8, in.data());
  pto::TEXP(out, in);
  const float* const exps = out.data();
  EXPECT_EQ(exps[0], 0);
  EXPECT_EQ(exps[1], 0);
  EXPECT_EQ(exps[2], 1);
  EXPECT_EQ(exps[3], infinity);
  EXPECT_EQ(exps[4], infinity);
  EXPECT_EQ(exps[5], std::numeric_limits<float>::denorm_min());
  EXPECT_TRUE(std::isnan(exps[6]));
  pto::TLOG(out, in);
  const float* const logs = out.data();
  EXPECT_TRUE(std::isnan(logs[0]) && std::isnan(logs[1]) && std::isnan(logs[6]));
  EXPECT_EQ(logs[2], -infinity);
  EXPECT_EQ(logs[4], infinity);
  EXPECT_EQ(logs[7], 0);
}

}  // namespace
}  // namespace pto2::test
