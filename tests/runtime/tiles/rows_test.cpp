/// Instructions that reduce rows, spread operands over rows, and pad, against plain loops.
#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test {
namespace {

template <class T, int Rows, int Cols>
struct RowOperands {
  using Full = RowTile<T, Rows, Cols>;
  using Column = ColTile<T, Rows, 1>;
  using Block = RowTile<T, Rows, 32 / sizeof(T)>;
  Full dst, full;
  Column column;
  Block block;

  RowOperands() {
    fill_randomly(pto::TileType::Vec);
    const int rows = random_int(1, Rows), cols = random_int(1, Cols);
    dst.SetValidShape(rows, cols);
    full.SetValidShape(rows, cols);
    column.SetValidShape(rows, 1);
    block.SetValidShape(rows, Block::Cols);
    TASSIGN(dst, 32);
    TASSIGN(full, 8192);
    TASSIGN(column, 16384);
    TASSIGN(block, 20000 / 32 * 32);
    fill_randomly(full);
    fill_randomly(column);
    fill_randomly(block);
  }
};

template <class T, int Cols>
void expect_reductions() {
  for (int repetition = 0; repetition < 8; ++repetition) {
    RowOperands<T, 16, Cols> on;
    const Values<decltype(on.full)> values(on.full);
    const int cols = on.full.GetValidCol();
    const auto sum = [&](int i, int) {
      Wide result = 0;
      for (int j = 0; j < cols; ++j) result += values(i, j);
      return element<T>(result);
    };
    const auto largest = [&](int i, int) {
      Wide result = values(i, 0);
      for (int j = 1; j < cols; ++j) result = std::max(result, values(i, j));
      return element<T>(result);
    };
    // The elements are multiples of 1/256, and so few that each partial sum is exact.
    expect_valid(
        "TROWSUM", on.column, [&] { pto::TROWSUM(on.column, on.full, on.dst); }, sum);
    expect_valid(
        "TROWMAX", on.column, [&] { pto::TROWMAX(on.column, on.full, on.dst); }, largest);
    on.dst.SetValidShape(on.full.GetValidRow(), 1);
    expect_valid(
        "TROWMAX", on.dst, [&] { pto::TROWMAX(on.dst, on.full, on.full); }, largest);
  }
}

TEST(Rows, Reductions) {
  expect_reductions<float, 72>();
  expect_reductions<half, 64>();
  expect_reductions<int32_t, 40>();
}

/// More columns than are reduced at once.
TEST(Rows, ReductionOfLongRows) {
  constexpr int cols = 1100;
  RowTile<int32_t, 3, 1104> src(3, cols);
  RowTile<int32_t, 1, 1104> dst(1, cols);
  TASSIGN(src, 0);
  TASSIGN(dst, 65536);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < cols; ++j) src.data()[i * 1104 + j] = (i + 1) * j;
  TCOLSUM(dst, src);
  for (int j = 0; j < cols; ++j) ASSERT_EQ(dst.data()[j], 6 * j);
}

template <class T, class Run, class Reference>
void expect_expansion(const char* name, Run run, Reference reference) {
  RowOperands<T, 16, 48> on;
  const Values<decltype(on.full)> full(on.full);
  const Values<decltype(on.column)> column(on.column);
  const Values<decltype(on.block)> block(on.block);
  const auto wide = [](auto value) { return element<T>(static_cast<Wide>(value)); };
  expect_valid(
      name, on.dst, [&] { run(on.dst, on.full, on.column); },
      [&](int i, int j) { return wide(reference(full(i, j), column(i, 0))); });
  expect_valid(
      name, on.dst, [&] { run(on.dst, on.column, on.full); },
      [&](int i, int j) { return wide(reference(column(i, 0), full(i, j))); });
  expect_valid(
      name, on.dst, [&] { run(on.dst, on.full, on.block); },
      [&](int i, int j) {
        return wide(reference(full(i, j), block(i, j % decltype(on.block)::Cols)));
      });
}

template <class T>
void expect_expansions() {
  expect_expansion<T>(
      "TROWEXPANDMUL", [](auto& d, auto& a, auto& b) { pto::TROWEXPANDMUL(d, a, b); },
      [](Wide a, Wide b) { return a * b; });
  expect_expansion<T>(
      "TROWEXPANDSUB", [](auto& d, auto& a, auto& b) { pto::TROWEXPANDSUB(d, a, b); },
      [](Wide a, Wide b) { return a - b; });
  expect_expansion<T>(
      "TROWEXPANDDIV", [](auto& d, auto& a, auto& b) { pto::TROWEXPANDDIV(d, a, b); },
      [](Wide a, Wide b) { return b == 0 && a == 0 ? b : a / b; });
}

TEST(Rows, Expansions) {
  expect_expansions<float>();
  expect_expansions<half>();
}

template <pto::PadValue Pad>
void expect_padding(float pad) {
  using Padded = pto::Tile<pto::TileType::Vec, float, 8, 16, pto::BLayout::RowMajor, 8, 16,
                           pto::SLayout::NoneBox, 512, Pad>;
  RowTile<float, 8, 16> src(5, 7);
  Padded dst;
  TASSIGN(src, 0);
  TASSIGN(dst, 1024);
  fill_randomly(pto::TileType::Vec);
  fill_randomly(src);
  const Values<RowTile<float, 8, 16>> values(src);
  const auto expected = [&](int i, int j) {
    return i < 5 && j < 7 ? static_cast<float>(values(i, j)) : pad;
  };
  expect_elements(
      "TFILLPAD", dst, 8, 16, [&] { pto::TFILLPAD(dst, src); }, expected);
  src.SetValidShape(0, 7);
  expect_elements(
      "TFILLPAD", dst, 8, 16, [&] { pto::TFILLPAD(dst, src); }, [&](int, int) { return pad; });
  src.SetValidShape(5, 7);
  RowTile<float, 8, 16> other(8, 16);
  TASSIGN(other, 1024);
  expect_elements(
      "TFILLPAD", other, 8, 16, [&] { pto::TFILLPAD<RowTile<float, 8, 16>, Pad>(other, src); },
      expected);
  TASSIGN(dst, 0);
  expect_elements(
      "TFILLPAD_INPLACE", dst, 8, 16, [&] { pto::TFILLPAD_INPLACE(dst, src); }, expected);
}

TEST(Rows, Padding) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  expect_padding<pto::PadValue::Min>(-infinity);
  expect_padding<pto::PadValue::Max>(infinity);
  expect_padding<pto::PadValue::Zero>(0);
}

TEST(Rows, ExpandedScalar) {
  RowTile<int16_t, 4, 16> dst(3, 9);
  TASSIGN(dst, 64);
  fill_randomly(pto::TileType::Vec);
  expect_valid(
      "TEXPANDS", dst, [&] { pto::TEXPANDS(dst, -7); }, [](int, int) { return int16_t{-7}; });
}

}  // namespace
}  // namespace pto2::test
