/// Instructions that differ from others in their operation alone, element by element, and what
/// others do only for some layouts and types.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test {
namespace {

using pto::GlobalTensor;
using pto::Layout;
using pto::Shape;
using pto::Stride;
using pto::TileType;
using testing::Each;
using testing::ElementsAre;

/// Two operands of three rows each, a result, a row, a column and scratch, apart in the buffer.
template <class T>
struct Apart {
  using Full = RowTile<T, 4, 32>;
  Full a{3, 29}, b{3, 29}, dst{3, 29}, tmp{3, 29};
  RowTile<T, 1, 32> row{1, 29};
  ColTile<T, 32, 1> column{3, 1};

  Apart() {
    fill_randomly(TileType::Vec);
    int64_t address = 0;
    const auto place = [&](auto& tile) {
      TASSIGN(tile, address);
      fill_randomly(tile);
      address += 2048;
    };
    place(a), place(b), place(dst), place(tmp), place(row), place(column);
  }
};

/// Of each valid element of a, the one of b there, that of the row and that of the column.
template <class T, class Run, class Reference>
void expect(const char* name, Apart<T>& on, Run run, Reference reference) {
  const Values<decltype(on.a)> a(on.a), b(on.b);
  const Values<decltype(on.row)> row(on.row);
  const Values<decltype(on.column)> column(on.column);
  const auto expected = [&](int i, int j) {
    return element<T>(reference(a(i, j), b(i, j), row(0, j), column(i, 0)));
  };
  expect_valid(
      name, on.dst, [&] { run(on); }, expected);
}
#define EXPECT_OPERATION(NAME, OPERANDS, REFERENCE)                                             \
  expect(                                                                                       \
      #NAME, on, [](auto& o) { pto::NAME OPERANDS; },                                           \
      [](Wide a, Wide b, Wide r, Wide c) {                                                      \
        static_cast<void>(a), static_cast<void>(b), static_cast<void>(r), static_cast<void>(c); \
        return REFERENCE;                                                                       \
      })

template <class T>
void expect_operations() {
  Apart<T> on;
  const auto quotient = [](Wide a, Wide b) { return b == 0 ? Wide{0} : std::trunc(a / b); };
  EXPECT_OPERATION(TMIN, (o.dst, o.a, o.b), std::min(a, b));
  EXPECT_OPERATION(TSUBS, (o.dst, o.a, T(7)), a - 7);
  EXPECT_OPERATION(TMAXS, (o.dst, o.a, T(7)), std::max(a, Wide{7}));
  EXPECT_OPERATION(TMINS, (o.dst, o.a, T(7)), std::min(a, Wide{7}));
  EXPECT_OPERATION(TROWEXPANDADD, (o.dst, o.a, o.column, o.tmp), a + c);
  EXPECT_OPERATION(TROWEXPANDMAX, (o.dst, o.a, o.column), std::max(a, c));
  EXPECT_OPERATION(TROWEXPANDMIN, (o.dst, o.a, o.column), std::min(a, c));
  EXPECT_OPERATION(TCOLEXPANDMIN, (o.dst, o.a, o.row), std::min(a, r));
  if constexpr (std::is_integral_v<T>) {
    expect(
        "TDIV", on, [](auto& o) { pto::TDIV(o.dst, o.a, o.b); },
        [&](Wide a, Wide b, Wide, Wide) { return quotient(a, b); });
  } else {
    fill(on.b, [] { return T(static_cast<float>(random_int(1, 99))); });
    fill(on.row, [] { return T(static_cast<float>(random_int(1, 99))); });
    EXPECT_OPERATION(TDIV, (o.dst, o.a, o.b), a / b);
    EXPECT_OPERATION(TDIVS, (o.dst, o.a, T(7)), a / 7);
    EXPECT_OPERATION(TDIVS, (o.dst, T(7), o.b), 7 / b);
    EXPECT_OPERATION(TCOLEXPANDDIV, (o.dst, o.a, o.row), a / r);
  }
}

TEST(Operations, OfFloats) {
  expect_operations<float>();
  expect_operations<half>();
}
TEST(Operations, OfIntegers) {
  expect_operations<int32_t>();
  expect_operations<int16_t>();
}

/// The element that is the smallest in its row, or in its column.
TEST(Operations, Minima) {
  Apart<float> on;
  const Values<decltype(on.a)> a(on.a);
  expect_valid(
      "TROWMIN", on.column, [&] { TROWMIN(on.column, on.a, on.tmp); },
      [&](int i, int) {
        Wide least = a(i, 0);
        for (int j = 1; j < 29; ++j) least = std::min(least, a(i, j));
        return static_cast<float>(least);
      });
  expect_valid(
      "TCOLMIN", on.row, [&] { TCOLMIN(on.row, on.a); },
      [&](int, int j) {
        return static_cast<float>(std::min({a(0, j), a(1, j), a(2, j)}));
      });
}

TEST(Operations, IntegersAtTheirLimits) {
  RowTile<int32_t, 1, 8> a(1, 4), b(1, 4), dst(1, 4);
  TASSIGN(a, 0);
  TASSIGN(b, 32);
  TASSIGN(dst, 64);
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  const int32_t values[] = {least, -7, 5, 0}, divisors[] = {-1, 2, 0, -3};
  std::copy_n(values, 4, a.data());
  std::copy_n(divisors, 4, b.data());
  const auto result = [&] { return std::vector<int32_t>(dst.data(), dst.data() + 4); };
  TDIV(dst, a, b);
  EXPECT_THAT(result(), ElementsAre(least, -3, 0, 0));
  TABS(dst, a);
  EXPECT_THAT(result(), ElementsAre(least, 7, 5, 0));
  TNEG(dst, a);
  EXPECT_THAT(result(), ElementsAre(least, 7, -5, 0));
}

template <pto::AtomicType Atomic, class T, class Reference>
void expect_atomic(Reference reference) {
  using View = GlobalTensor<T, Shape<1, 1, 1, 2, 16>, Stride<32, 32, 32, 16, 1>>;
  RowTile<T, 2, 16> tile(2, 13);
  TASSIGN(tile, 0);
  fill_randomly(tile);
  std::vector<T> memory(32);
  std::generate(memory.begin(), memory.end(), random_element<T>);
  const auto before = memory;
  pto::TSTORE<decltype(tile), View, Atomic>(View(memory.data()), tile);
  for (std::size_t k = 0; k < 32; ++k)
    EXPECT_EQ(memory[k], k % 16 < 13 ? reference(before[k], tile.data()[k]) : before[k]);
}

TEST(Operations, AtomicStores) {
  expect_atomic<pto::AtomicType::AtomicMax, float>([](float a, float b) { return std::max(a, b); });
  expect_atomic<pto::AtomicType::AtomicMin, float>([](float a, float b) { return std::min(a, b); });
  expect_atomic<pto::AtomicType::AtomicMax, int16_t>(
      [](int16_t a, int16_t b) { return std::max(a, b); });
  expect_atomic<pto::AtomicType::AtomicAdd, int32_t>([](int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  });
}

/// The columns of a DN view as the rows of a tile, with gaps between the columns.
template <class T>
void expect_columns_as_rows() {
  using View = GlobalTensor<T, Shape<1, 1, 1, 19, 11>, Stride<1, 1, 1, 1, 23>, Layout::DN>;
  std::vector<T> memory(512);
  std::generate(memory.begin(), memory.end(), random_element<T>);
  RowTile<T, 24, 16> tile(19, 11);
  TASSIGN(tile, 0);
  fill_randomly(TileType::Vec);
  expect_valid(
      "TLOAD", tile, [&] { TLOAD(tile, View(memory.data())); },
      [&](int i, int j) { return memory[static_cast<std::size_t>(i + 23 * j)]; });
}
TEST(Operations, LoadsOfColumnsAsRows) {
  expect_columns_as_rows<half>();
  expect_columns_as_rows<float>();
}

/// The valid elements come from where offset(row, column) says.
template <class Tile, class View, class Offset>
void expect_load(const char* name, Tile tile, Offset offset) {
  using T = typename Tile::DType;
  std::vector<T> memory(4096);
  std::generate(memory.begin(), memory.end(), random_element<T>);
  TASSIGN(tile, 0);
  fill_randomly(TileType::Vec);
  expect_valid(
      name, tile, [&] { TLOAD(tile, View(memory.data())); },
      [&](int i, int j) { return memory[static_cast<std::size_t>(offset(i, j))]; });
}

TEST(Operations, LoadsOfFiveDimensions) {
  // The columns of the outer matrices lie side by side.
  using Columns =
      GlobalTensor<float, Shape<2, 3, 2, 16, 2>, Stride<900, 290, 100, 1, 20>, Layout::DN>;
  const auto of_columns = [](int i, int j) {
    return j / 12 * 900 + j / 4 % 3 * 290 + j / 2 % 2 * 100 + j % 2 * 20 + i;
  };
  expect_load<RowTile<float, 16, 24>, Columns>("TLOAD of DN", {15, 23}, of_columns);
  expect_load<ColTile<float, 16, 24>, Columns>("TLOAD of DN", {15, 23}, of_columns);
  using Apart = GlobalTensor<float, Shape<1, 1, 1, 16, 4>, Stride<1, 1, 1, 3, 50>, Layout::DN>;
  const auto apart = [](int i, int j) { return 3 * i + 50 * j; };
  expect_load<RowTile<float, 16, 8>, Apart>("TLOAD of DN", {15, 4}, apart);
  expect_load<ColTile<float, 16, 8>, Apart>("TLOAD of DN", {15, 4}, apart);
  using Boxes =
      GlobalTensor<float, Shape<2, 3, 2, 16, 8>, Stride<1000, 300, 140, 8, 1>, Layout::NZ>;
  expect_load<RowTile<float, 32, 48>, Boxes>("TLOAD of NZ", {31, 47}, [](int i, int j) {
    return j / 24 * 1000 + j / 8 % 3 * 300 + j % 8 + i / 16 * 140 + i % 16 * 8;
  });
}

TEST(Operations, ElementsByTheirPlaces) {
  RowTile<int16_t, 2, 16> tile(2, 16);
  TASSIGN(tile, 32);
  std::iota(tile.data(), tile.data() + 32, int16_t{100});
  EXPECT_EQ(tile.GetValue(0), 100);
  EXPECT_EQ(tile.GetValue(31), 131);
  tile.SetValue(17, 5);
  EXPECT_EQ(tile.GetValue(17), 5);
  EXPECT_EQ(tile.GetValue(16), 116);
}

/// Lines of halves that are longer than what is converted at a time.
TEST(Operations, LongLinesOfHalves) {
  RowTile<half, 2, 208> a(2, 201), dst(2, 201);
  TASSIGN(a, 0);
  TASSIGN(dst, 1024);
  fill_randomly(TileType::Vec);
  fill_randomly(a);
  const Values<decltype(a)> values(a);
  expect_valid(
      "TADDS", dst, [&] { TADDS(dst, a, half(1)); },
      [&](int i, int j) { return element<half>(values(i, j) + 1); });
}

/// A block of 32 bytes per row as the left operand.
TEST(Operations, BlocksOnTheLeft) {
  Apart<float> on;
  RowTile<float, 4, 8> block(3, 8);
  TASSIGN(block, 16384);
  fill_randomly(block);
  const Values<decltype(on.a)> a(on.a);
  const Values<decltype(block)> blocks(block);
  expect_valid(
      "TROWEXPANDSUB", on.dst, [&] { TROWEXPANDSUB(on.dst, block, on.a); },
      [&](int i, int j) { return element<float>(blocks(i, j % 8) - a(i, j)); });
}

/// Base tiles row by row or column by column, and inside by rows or columns: 16 x 8 or 8 x 16.
template <pto::BLayout Outer, pto::SLayout Inner>
void expect_boxes() {
  using Boxed = pto::Tile<TileType::Vec, float, 32, 48, Outer, 32, 48, Inner>;
  using Rows = RowTile<float, 32, 48>;
  Rows rows(32, 48);
  Boxed boxed;
  TASSIGN(rows, 0);
  TASSIGN(boxed, 8192);
  std::iota(rows.data(), rows.data() + Rows::Numel, 0.0F);
  TMOV(boxed, rows);
  constexpr bool by_rows = Inner == pto::SLayout::RowMajor;
  constexpr int high = by_rows ? 16 : 8, wide = by_rows ? 8 : 16;
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 48; ++j) {
      const int box = Outer == pto::BLayout::RowMajor ? i / high * (48 / wide) + j / wide
                                                      : j / wide * (32 / high) + i / high;
      const int inside = by_rows ? i % high * wide + j % wide : j % wide * high + i % high;
      ASSERT_EQ(boxed.data()[box * 128 + inside], rows.data()[48 * i + j]) << i << ", " << j;
    }
}
TEST(Operations, Boxes) {
  expect_boxes<pto::BLayout::ColMajor, pto::SLayout::RowMajor>();
  expect_boxes<pto::BLayout::RowMajor, pto::SLayout::RowMajor>();
  expect_boxes<pto::BLayout::ColMajor, pto::SLayout::ColMajor>();
  expect_boxes<pto::BLayout::RowMajor, pto::SLayout::ColMajor>();
}

template <class T, pto::PadValue Pad>
std::vector<T> padding_of() {
  using Padded = pto::Tile<TileType::Vec, T, 2, 32, pto::BLayout::RowMajor, 2, 32,
                           pto::SLayout::NoneBox, 512, Pad>;
  RowTile<T, 2, 32> src(1, 31);
  Padded dst;
  TASSIGN(src, 0);
  TASSIGN(dst, 1024);
  fill_randomly(src);
  TFILLPAD(dst, src);
  return {dst.data() + 31, dst.data() + 64};
}
TEST(Operations, PaddingOfIntegers) {
  EXPECT_THAT((padding_of<int16_t, pto::PadValue::Min>()), Each(-32768));
  EXPECT_THAT((padding_of<int16_t, pto::PadValue::Max>()), Each(32767));
  EXPECT_THAT((padding_of<uint8_t, pto::PadValue::Min>()), Each(0));
  EXPECT_THAT((padding_of<uint8_t, pto::PadValue::Max>()), Each(255));
}

/// In L1 a scalar fills the whole tile.
TEST(Operations, ExpandedScalarInL1) {
  pto::Tile<TileType::Mat, float, 16, 16, pto::BLayout::ColMajor, -1, -1, pto::SLayout::RowMajor>
      tile(3, 5);
  TASSIGN(tile, 32);
  fill_randomly(TileType::Mat);
  expect_elements(
      "TEXPANDS", tile, 16, 16, [&] { TEXPANDS(tile, 2.5F); }, [](int, int) { return 2.5F; });
}

TEST(Operations, PaddingInL1) {
  using Boxed = pto::Tile<TileType::Mat, half, 16, 32, pto::BLayout::ColMajor, -1, -1,
                          pto::SLayout::RowMajor>;
  Boxed tile(3, 20);
  TASSIGN(tile, 0);
  fill_randomly(TileType::Mat);
  fill_randomly(tile);
  const Values<Boxed> values(tile);
  expect_elements(
      "TFILLPAD", tile, 16, 32, [&] { pto::TFILLPAD<Boxed, pto::PadValue::Zero>(tile, tile); },
      [&](int i, int j) { return i < 3 && j < 20 ? half(values(i, j)) : half(0); });
}

TEST(Operations, GathersBySparsePatterns) {
  RowTile<int32_t, 1, 16> src(1, 10);
  RowTile<int32_t, 1, 16> dst(1, 16);
  TASSIGN(src, 0);
  TASSIGN(dst, 64);
  std::iota(src.data(), src.data() + 10, 0);
  using T = RowTile<int32_t, 1, 16>;
  const auto taken = [&](int n) { return std::vector<int32_t>(dst.data(), dst.data() + n); };
  pto::TGATHER<T, T, pto::MaskPattern::P0001>(dst, src);
  EXPECT_THAT(taken(3), ElementsAre(0, 4, 8));
  pto::TGATHER<T, T, pto::MaskPattern::P0010>(dst, src);
  EXPECT_THAT(taken(3), ElementsAre(1, 5, 9));
  pto::TGATHER<T, T, pto::MaskPattern::P0100>(dst, src);
  EXPECT_THAT(taken(2), ElementsAre(2, 6));
  pto::TGATHER<T, T, pto::MaskPattern::P1111>(dst, src);
  EXPECT_THAT(taken(4), ElementsAre(0, 1, 2, 3));
}

/// Each row with its indices, or all with one row of them; a NaN is the last, and nothing is left
/// in the gap of a pair.
TEST(Operations, SortedRows) {
  const half nan = std::numeric_limits<float>::quiet_NaN();
  RowTile<half, 2, 16> src(2, 3);
  RowTile<uint32_t, 2, 8> indices(2, 3);
  RowTile<half, 2, 16> dst(2, 12);
  TASSIGN(src, 0);
  TASSIGN(indices, 64);
  TASSIGN(dst, 128);
  const half values[] = {nan, 1, 2, 3, nan, 4};
  for (int k = 0; k < 6; ++k) {
    src.data()[k / 3 * 16 + k % 3] = values[k];
    indices.data()[k / 3 * 8 + k % 3] = static_cast<uint32_t>(10 + k);
  }
  const auto indices_of = [&](int row) {
    std::vector<uint32_t> result(6);
    std::memcpy(result.data(), dst.data() + 16 * row, 24);
    for (std::size_t k = 0; k < 6; k += 2) EXPECT_EQ(result[k] >> 16, 0U);
    return std::vector<uint32_t>{result[1], result[3], result[5]};
  };
  fill(dst, [] { return half(9); });
  TSORT32(dst, src, indices);
  EXPECT_THAT(indices_of(0), ElementsAre(12, 11, 10));
  EXPECT_THAT(indices_of(1), ElementsAre(15, 13, 14));
  indices.SetValidShape(1, 3);
  TSORT32(dst, src, indices);
  EXPECT_THAT(indices_of(1), ElementsAre(12, 10, 11));
}

/// Of a merge the destination gets what it has room for, and nothing behind is touched.
TEST(Operations, MergedRowsThatAreCutOff) {
  using Row = RowTile<float, 1, 8>;
  using All = RowTile<float, 1, 32>;
  Row a(1, 4), b(1, 4), c(1, 4), d(1, 4), dst(1, 6);
  All tmp(1, 32);
  int64_t address = 0;
  for (Row* const row : {&a, &b, &c, &d}) {
    TASSIGN(*row, address);
    for (int k = 0; k < 2; ++k) {
      row->data()[2 * k] = static_cast<float>(address / 32 + 10 * (1 - k));
      row->data()[2 * k + 1] = 0;
    }
    address += 32;
  }
  TASSIGN(dst, 128);
  TASSIGN(tmp, 256);
  fill(dst, [] { return -1.0F; });
  pto::MrgSortExecutedNumList executed{};
  pto::TMRGSORT<Row, All, Row, Row, Row, Row, false>(dst, executed, tmp, a, b, c, d);
  EXPECT_THAT(std::vector<float>(dst.data(), dst.data() + 8),
              ElementsAre(13, 0, 12, 0, 11, 0, -1, -1));
  EXPECT_EQ(executed.mrgSortList3, 2);
}

}  // namespace
}  // namespace pto2::test
