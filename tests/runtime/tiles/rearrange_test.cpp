/// Instructions that put elements elsewhere, number or sort them, against plain loops.
#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test {
namespace {

template <class T, int Rows, int Cols>
RowTile<T, Rows, Cols> row_tile(int rows, int cols, int64_t address) {
  RowTile<T, Rows, Cols> tile(rows, cols);
  TASSIGN(tile, address);
  fill_randomly(tile);
  return tile;
}

TEST(Rearrange, Transpose) {
  fill_randomly(pto::TileType::Vec);
  auto src = row_tile<half, 16, 32>(13, 29, 0);
  auto dst = row_tile<half, 32, 16>(29, 13, 4096);
  const Values<decltype(src)> values(src);
  expect_valid(
      "TTRANS", dst, [&] { pto::TTRANS(dst, src, src); },
      [&](int i, int j) { return element<half>(values(j, i)); });
}

TEST(Rearrange, Concatenation) {
  auto a = row_tile<int16_t, 4, 32>(3, 21, 0);
  auto b = row_tile<int16_t, 4, 16>(3, 7, 1024);
  auto dst = row_tile<int16_t, 4, 48>(3, 28, 2048);
  const Values<decltype(a)> left(a);
  const Values<decltype(b)> right(b);
  expect_valid(
      "TCONCAT", dst, [&] { pto::TCONCAT(dst, a, b); },
      [&](int i, int j) { return element<int16_t>(j < 21 ? left(i, j) : right(i, j - 21)); });
}

TEST(Rearrange, Extraction) {
  using Mat = pto::Tile<pto::TileType::Mat, float, 32, 48, pto::BLayout::ColMajor, 32, 48,
                        pto::SLayout::RowMajor>;
  Mat src;
  TASSIGN(src, 0);
  fill_randomly(src);
  pto::TileRight<float, 16, 16, -1, -1> dst(16, 9);
  TASSIGN(dst, 64);
  const Values<Mat> values(src);
  expect_valid(
      "TEXTRACT", dst, [&] { pto::TEXTRACT(dst, src, 7, 30); },
      [&](int i, int j) { return element<float>(values(7 + i, 30 + j)); });
}

TEST(Rearrange, Gather) {
  auto src = row_tile<float, 4, 32>(4, 32, 0);
  auto indices = row_tile<uint32_t, 2, 8>(2, 5, 1024);
  auto dst = row_tile<float, 2, 8>(2, 5, 2048);
  fill(indices, [] { return static_cast<uint32_t>(random_int(0, 127)); });
  const Values<decltype(src)> values(src);
  const Values<decltype(indices)> places(indices);
  expect_valid(
      "TGATHER", dst, [&] { pto::TGATHER(dst, src, indices, indices); },
      [&](int i, int j) {
        const int k = static_cast<int>(places(i, j));
        return element<float>(values(k / 32, k % 32));
      });
}

/// Element k of a row is one of `first`, `first + step`, ..
template <pto::MaskPattern Pattern>
void expect_pattern(int first, int step) {
  auto src = row_tile<float, 3, 32>(3, 32, 0);
  auto dst = row_tile<float, 3, 32>(3, 32 / step, 1024);
  const Values<decltype(src)> values(src);
  using Tile = decltype(src);
  expect_valid(
      "TGATHER", dst, [&] { pto::TGATHER<Tile, Tile, Pattern>(dst, src); },
      [&](int i, int j) { return element<float>(values(i, first + j * step)); });
}
TEST(Rearrange, GatherByPattern) {
  expect_pattern<pto::MaskPattern::P0101>(0, 2);
  expect_pattern<pto::MaskPattern::P1010>(1, 2);
  expect_pattern<pto::MaskPattern::P1000>(3, 4);
  // Elements of one type as those of another: the indices of sorted pairs.
  auto pairs = row_tile<float, 1, 32>(1, 32, 0);
  auto indices = row_tile<uint32_t, 1, 16>(1, 16, 1024);
  const uint32_t index = 77;
  std::memcpy(pairs.data() + 3, &index, sizeof index);
  pto::TGATHER<decltype(indices), decltype(pairs), pto::MaskPattern::P1010>(indices, pairs);
  EXPECT_EQ(indices.data()[1], index);
}

TEST(Rearrange, Counting) {
  auto dst = row_tile<int32_t, 2, 16>(1, 13, 0);
  using Tile = decltype(dst);
  expect_valid(
      "TCI", dst, [&] { pto::TCI<Tile, int32_t, 0>(dst, -4); }, [](int, int j) { return j - 4; });
  expect_valid(
      "TCI", dst, [&] { pto::TCI<Tile, int32_t, 1>(dst, 7); }, [](int, int j) { return 7 - j; });
}

/// The pairs of a row that has been sorted.
template <class T>
std::vector<std::pair<float, uint32_t>> pairs_of(const T* row, int pairs) {
  std::vector<std::pair<float, uint32_t>> result;
  const auto* const bytes = reinterpret_cast<const std::byte*>(row);
  for (int k = 0; k < pairs; ++k) {
    T value;
    uint32_t index;
    std::memcpy(&value, bytes + 8 * k, sizeof value);
    std::memcpy(&index, bytes + 8 * k + 4, sizeof index);
    result.emplace_back(static_cast<float>(value), index);
  }
  return result;
}
/// Descending, and among equals by the index.
void sort_pairs(std::vector<std::pair<float, uint32_t>>& pairs, std::size_t begin,
                std::size_t end) {
  const auto at = [&](std::size_t k) { return pairs.begin() + static_cast<std::ptrdiff_t>(k); };
  std::sort(at(begin), at(end), [](const auto& a, const auto& b) {
    return a.first > b.first || (a.first == b.first && a.second < b.second);
  });
}

template <class T>
void expect_sorted() {
  constexpr int cols = 256, wide = cols * 8 / sizeof(T);
  auto src = row_tile<T, 1, cols>(1, cols, 0);
  auto indices = row_tile<uint32_t, 1, cols>(1, cols, 2048);
  auto dst = row_tile<T, 1, wide>(1, wide, 4096);
  auto merged = row_tile<T, 1, wide>(1, wide, 8192);
  fill(src, [] { return static_cast<T>(static_cast<float>(random_int(-40, 40))); });
  fill(indices, [next = 0u]() mutable { return next++; });
  std::vector<std::pair<float, uint32_t>> expected;
  for (int j = 0; j < cols; ++j)
    expected.emplace_back(static_cast<float>(src.data()[j]), indices.data()[j]);

  pto::TSORT32(dst, src, indices);
  for (std::size_t begin = 0; begin < cols; begin += 32) sort_pairs(expected, begin, begin + 32);
  EXPECT_EQ(pairs_of(dst.data(), cols), expected);

  // Four blocks of 32 pairs each to one, twice.
  constexpr std::size_t block = 32;
  pto::TMRGSORT(merged, dst, block * 8 / sizeof(T));
  for (std::size_t begin = 0; begin < cols; begin += 4 * block)
    sort_pairs(expected, begin, begin + 4 * block);
  EXPECT_EQ(pairs_of(merged.data(), cols), expected);
}
TEST(Rearrange, SortedBlocks) {
  expect_sorted<float>();
  expect_sorted<half>();
}

TEST(Rearrange, MergedRows) {
  using Row = RowTile<float, 1, 16>;
  using Both = RowTile<float, 1, 32>;
  Row a(1, 6), b(1, 10);
  Both dst(1, 32), tmp(1, 32);
  TASSIGN(a, 0);
  TASSIGN(b, 64);
  TASSIGN(dst, 128);
  TASSIGN(tmp, 256);
  const auto set = [](Row& row, std::initializer_list<float> values) {
    int k = 0;
    for (const float value : values) {
      row.data()[2 * k] = value;
      std::memcpy(row.data() + 2 * k + 1, &k, sizeof k);
      ++k;
    }
  };
  set(a, {9, 5, 4});
  set(b, {8, 7, 5, 3, 1});
  pto::MrgSortExecutedNumList executed{};
  pto::TMRGSORT<Both, Both, Row, Row, false>(dst, executed, tmp, a, b);
  using Pairs = std::vector<std::pair<float, uint32_t>>;
  EXPECT_EQ(pairs_of(dst.data(), 8),
            (Pairs{{9, 0}, {8, 0}, {7, 1}, {5, 1}, {5, 2}, {4, 2}, {3, 3}, {1, 4}}));
  pto::TMRGSORT<Both, Both, Row, Row, true>(dst, executed, tmp, a, b);
  EXPECT_EQ(executed.mrgSortList0, 3);
  EXPECT_EQ(executed.mrgSortList1, 3);
}

/// Columns: spread and reduced.
TEST(Rearrange, Columns) {
  fill_randomly(pto::TileType::Vec);
  auto full = row_tile<float, 8, 24>(7, 21, 0);
  auto row = row_tile<float, 1, 24>(1, 21, 1024);
  auto dst = row_tile<float, 8, 24>(7, 21, 2048);
  const Values<decltype(full)> values(full);
  const Values<decltype(row)> of_row(row);
  const auto expect = [&](const char* name, auto run, auto reference) {
    expect_valid(name, dst, run, [&](int i, int j) {
      return element<float>(reference(values(i, j), of_row(0, j)));
    });
  };
  expect(
      "TCOLEXPANDMUL", [&] { pto::TCOLEXPANDMUL(dst, full, row); },
      [](Wide a, Wide b) { return a * b; });
  expect(
      "TCOLEXPANDADD", [&] { pto::TCOLEXPANDADD(dst, full, row); },
      [](Wide a, Wide b) { return a + b; });
  expect(
      "TCOLEXPANDSUB", [&] { pto::TCOLEXPANDSUB(dst, full, row); },
      [](Wide a, Wide b) { return a - b; });
  expect(
      "TCOLEXPANDMAX", [&] { pto::TCOLEXPANDMAX(dst, full, row); },
      [](Wide a, Wide b) { return std::max(a, b); });
  expect(
      "TCOLEXPAND", [&] { pto::TCOLEXPAND(dst, row); }, [](Wide, Wide b) { return b; });
  pto::TCOLEXPANDEXPDIF(dst, full, row);
  const Values<decltype(dst)> exps(dst);
  for (int j = 0; j < 21; ++j) {
    const Wide exact = std::exp(values(6, j) - of_row(0, j));
    EXPECT_NEAR(static_cast<double>(exps(6, j) / exact), 1, 1e-7);
  }

  row.SetValidShape(1, 21);
  const auto reduced = [&](auto op) {
    return [&, op](int, int j) {
      Wide result = values(0, j);
      for (int i = 1; i < 7; ++i) result = op(result, values(i, j));
      return element<float>(result);
    };
  };
  expect_valid(
      "TCOLSUM", row, [&] { pto::TCOLSUM(row, full); },
      reduced([](Wide a, Wide b) { return a + b; }));
  expect_valid(
      "TCOLMAX", row, [&] { pto::TCOLMAX(row, full); },
      reduced([](Wide a, Wide b) { return std::max(a, b); }));
}

TEST(Rearrange, Rows) {
  auto column = ColTile<float, 8, 1>(7, 1);
  TASSIGN(column, 4096);
  fill_randomly(column);
  auto dst = row_tile<float, 8, 24>(7, 21, 2048);
  const Values<decltype(column)> values(column);
  expect_valid(
      "TROWEXPAND", dst, [&] { pto::TROWEXPAND(dst, column); },
      [&](int i, int) { return element<float>(values(i, 0)); });
}

/// One operand.
TEST(Rearrange, Unary) {
  auto src = row_tile<float, 4, 16>(3, 11, 0);
  auto dst = row_tile<float, 4, 16>(3, 11, 1024);
  src.data()[0] = -0.0F;
  const Values<decltype(src)> values(src);
  expect_valid(
      "TABS", dst, [&] { pto::TABS(dst, src); },
      [&](int i, int j) { return element<float>(std::abs(values(i, j))); });
  expect_valid(
      "TNEG", dst, [&] { pto::TNEG(dst, src); },
      [&](int i, int j) { return element<float>(-values(i, j)); });
  fill(src,
       [] { return std::ldexp(static_cast<float>(random_int(1, 9999)), random_int(-30, 30)); });
  const Values<decltype(src)> positive(src);
  expect_valid(
      "TRECIP", dst, [&] { pto::TRECIP(dst, src); },
      [&](int i, int j) { return element<float>(1 / positive(i, j)); });
  // Two roundings, as the page has it.
  expect_valid(
      "TRSQRT", dst, [&] { pto::TRSQRT(dst, src); },
      [&](int i, int j) {
        return element<float>(1 / Wide{element<float>(std::sqrt(positive(i, j)))});
      });
}

}  // namespace
}  // namespace pto2::test
