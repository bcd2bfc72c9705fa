/// Loads and stores of each layout, moves between buffers, and the multiplications of the cube.
#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test {
namespace {

using pto::GlobalTensor;
using pto::Layout;
using pto::Shape;
using pto::Stride;
using pto::TileType;

template <class T>
std::vector<T> random_tensor(std::size_t elements) {
  std::vector<T> tensor(elements);
  std::generate(tensor.begin(), tensor.end(), random_element<T>);
  return tensor;
}

/// Loads a tile of so many valid elements from the view, and stores it to another of its kind.
/// offset(row, col) is where the view has them.
template <class Tile, class View, class Offset>
void expect_transfers(Tile tile, View from, Offset offset) {
  using T = typename Tile::DType;
  TASSIGN(tile, 96);
  fill_randomly(Tile::Loc);
  const auto source = random_tensor<T>(8192);
  from.SetAddr(const_cast<T*>(source.data()));
  expect_valid(
      "TLOAD", tile, [&] { pto::TLOAD(tile, from); },
      [&](int i, int j) { return source[static_cast<std::size_t>(offset(i, j))]; });
  auto stored = random_tensor<T>(8192);
  auto expected = stored;
  for (int i = 0; i < tile.GetValidRow(); ++i)
    for (int j = 0; j < tile.GetValidCol(); ++j) {
      const auto place = static_cast<std::size_t>(offset(i, j));
      expected[place] = source[place];
    }
  View to = from;
  to.SetAddr(stored.data());
  pto::TSTORE(to, tile);
  EXPECT_EQ(std::memcmp(stored.data(), expected.data(), stored.size() * sizeof(T)), 0);
}

TEST(Transfer, RowMajor) {
  GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>> view(
      nullptr, {random_int(9, 12), random_int(20, 24)}, {random_int(24, 40)});
  expect_transfers(RowTile<float, 12, 24>(9, 20), view,
                   [&](int i, int j) { return i * view.GetStride(3) + j; });
}
/// A tile that says what to fill with is filled to the end of a block of 32 bytes.
TEST(Transfer, FillsLines) {
  using Filled = pto::Tile<TileType::Vec, float, 4, 32, pto::BLayout::RowMajor, 3, 18,
                           pto::SLayout::NoneBox, 512, pto::PadValue::Max>;
  auto source = random_tensor<float>(128);
  GlobalTensor<float, Shape<1, 1, 1, 4, 32>, Stride<128, 128, 128, 32, 1>> view(source.data());
  Filled tile;
  TASSIGN(tile, 32);
  fill_randomly(Filled::Loc);
  expect_elements(
      "TLOAD", tile, 3, 24, [&] { pto::TLOAD(tile, view); },
      [&](int i, int j) {
        return j < 18 ? source[static_cast<std::size_t>(32 * i + j)]
                      : std::numeric_limits<float>::infinity();
      });
}
TEST(Transfer, RowMajorOfFiveDimensions) {
  GlobalTensor<half, Shape<2, 3, 2, 4, 16>, Stride<1600, 500, 200, 40, 2>> view(nullptr);
  expect_transfers(RowTile<half, 48, 16>(47, 13), view, [](int i, int j) {
    return i / 24 * 1600 + i / 8 % 3 * 500 + i / 4 % 2 * 200 + i % 4 * 40 + 2 * j;
  });
}
TEST(Transfer, ColumnMajor) {
  GlobalTensor<float, Shape<1, 1, 1, 16, 6>, Stride<1, 1, 1, 1, 20>, Layout::DN> view(nullptr);
  expect_transfers(ColTile<float, 16, 6>(13, 5), view, [](int i, int j) { return i + 20 * j; });
}
/// A view of a matrix of 32 x 24 floats, each of its sizes in the type or given.
template <Layout L, int Rows, int Cols>
using Floats = GlobalTensor<float, pto::TileShape2D<float, Rows, Cols, L>,
                            pto::BaseShape2D<float, Rows, Cols, L>, L>;
template <Layout L, class Offset>
void expect_matrix_transfers(Offset offset) {
  using Mat = pto::Tile<TileType::Mat, float, 32, 24, pto::BLayout::ColMajor, -1, -1,
                        pto::SLayout::RowMajor>;
  expect_transfers(Mat(30, 21), Floats<L, 32, 24>(nullptr), offset);
  expect_transfers(Mat(30, 21), Floats<L, 32, 24>(nullptr, {32, 24}, {32, 24}), offset);
  expect_transfers(Mat(30, 21), Floats<L, 32, -1>(nullptr, {32, 24}, {32, 24}), offset);
  expect_transfers(Mat(30, 21), Floats<L, -1, 24>(nullptr, {32, 24}, {32, 24}), offset);
  expect_transfers(Mat(30, 21), Floats<L, -1, -1>(nullptr, {32, 24}, {32, 24}), offset);
}

TEST(Transfer, BaseTiles) {
  expect_matrix_transfers<Layout::NZ>(
      [](int i, int j) { return j / 8 * 32 * 8 + i / 16 * 16 * 8 + i % 16 * 8 + j % 8; });
}
TEST(Transfer, MatricesByRowsAndByColumns) {
  expect_matrix_transfers<Layout::ND>([](int i, int j) { return i * 24 + j; });
  expect_matrix_transfers<Layout::DN>([](int i, int j) { return i + 32 * j; });
}

template <class Sizes>
std::vector<int64_t> numbers_of(const Sizes& sizes) {
  std::vector<int64_t> numbers;
  for (int i = 0; i < 5; ++i) numbers.push_back(sizes.get(i));
  return numbers;
}

/// What is in the type is so, whatever five numbers are given.
TEST(Transfer, SizesInTheTypeStay) {
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(numbers_of(Stride<1024, 1024, 1024, 64, 1>(1, 1, 1, 1, 1)),
            (Numbers{1024, 1024, 1024, 64, 1}));
  EXPECT_EQ(numbers_of(Shape<1, -1, 3, -1, 5>(6, 7, 8, 9, 10)), (Numbers{1, 7, 3, 9, 5}));
  EXPECT_EQ(numbers_of(pto::TileShape2D<half, -1, -1, Layout::NZ>(64, 128)),
            (Numbers{1, 8, 4, 16, 16}));
  EXPECT_EQ(numbers_of(pto::BaseShape2D<half, -1, -1, Layout::NZ>(64, 128)),
            (Numbers{8192, 1024, 256, 16, 1}));
  EXPECT_EQ(numbers_of(pto::TileShape2D<half, 16, -1>(7)), (Numbers{1, 1, 1, 16, 7}));
  EXPECT_EQ(numbers_of(pto::TileShape2D<float, 32, -1>(7, 24)), (Numbers{1, 1, 1, 32, 24}));
  EXPECT_EQ(numbers_of(pto::BaseShape2D<half, -1, 8, Layout::DN>(2, 3, 4, 5)),
            (Numbers{2, 3, 4, 1, 5}));
}

/// The outer strides are those of the whole matrix.
TEST(Transfer, StridesOfMatrices) {
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(numbers_of(pto::BaseShape2D<float, 6, 8>()), (Numbers{48, 48, 48, 8, 1}));
  EXPECT_EQ(numbers_of(pto::BaseShape2D<float>(6, 8)), (Numbers{48, 48, 48, 8, 1}));
  EXPECT_EQ(numbers_of(pto::BaseShape2D<float, 6, 8, Layout::DN>()), (Numbers{48, 48, 48, 1, 6}));
  EXPECT_EQ(numbers_of(pto::BaseShape2D<float, 6, -1, Layout::DN>(6, 8)),
            (Numbers{48, 48, 48, 1, 6}));
}

/// Five numbers in braces are those of a view, and nothing else.
/// Of the first so many rows of a view, which need not be whole in any dimension.
TEST(Transfer, FarthestOfTheFirstRows) {
  using View = GlobalTensor<float, Shape<-1, -1, -1, -1, 1>, Stride<-1, -1, -1, -1, 1>>;
  for (int repetition = 0; repetition < 200; ++repetition) {
    const auto size = [] { return random_int(1, 4); };
    const auto stride = [] { return random_int(0, 20); };
    const View view(nullptr, {size(), size(), size(), size()},
                    {stride(), stride(), stride(), stride()});
    const pto::detail::View<View> axes(view);
    int64_t farthest = 0;
    for (int64_t row = 0; row < axes.rows.size(); ++row) {
      farthest = std::max(farthest, axes.rows.offset(row));
      ASSERT_EQ(axes.rows.last_offset(row + 1), farthest) << row;
    }
  }
  const View unused(nullptr, {1, 3, 1, 2}, {-7, 5, -7, 1});
  EXPECT_EQ(pto::detail::View<View>(unused).rows.last_offset(6), 11);
}

TEST(Transfer, SizesInBraces) {
  using Numbers = std::vector<int64_t>;
  const int64_t rows = 4, cols = 8;
  const Shape<> shape({1, 1, 1, rows, cols});
  const Stride<> stride({32, 32, 32, cols, 1});
  const pto::TileShape2D<float> matrix({1, 1, 1, rows, cols});
  EXPECT_EQ(numbers_of(shape), (Numbers{1, 1, 1, 4, 8}));
  EXPECT_EQ(numbers_of(stride), (Numbers{32, 32, 32, 8, 1}));
  EXPECT_EQ(numbers_of(matrix), (Numbers{1, 1, 1, 4, 8}));
}

/// Kernels take a tile of L1 by its transpose: base tiles that are column-major, in rows, have the
/// bytes of those that are row-major, in columns.
TEST(Transfer, TransposeInL1) {
  using Mat = pto::Tile<TileType::Mat, half, 16, 32, pto::BLayout::ColMajor, 16, 32,
                        pto::SLayout::RowMajor>;
  using Transpose = pto::Tile<TileType::Mat, half, 32, 16, pto::BLayout::RowMajor, 32, 16,
                              pto::SLayout::ColMajor>;
  auto source = random_tensor<half>(512);
  GlobalTensor<half, Shape<1, 1, 1, 16, 32>, Stride<512, 512, 512, 32, 1>> view(source.data());
  Mat tile;
  Transpose transpose;
  pto::TileRight<half, 32, 16> right;
  TASSIGN(tile, 1024);
  TASSIGN(transpose, 1024);
  TASSIGN(right, 0);
  pto::TLOAD(tile, view);
  expect_valid(
      "TMOV", right, [&] { pto::TMOV(right, transpose); },
      [&](int i, int j) { return source[static_cast<std::size_t>(32 * j + i)]; });
}

/// A boxed vector tile has the bytes of an NZ tensor: its first base tile is the first 16 rows of
/// 32 bytes.
TEST(Transfer, BoxedVectorTile) {
  using Boxed = pto::Tile<TileType::Vec, half, 32, 32, pto::BLayout::ColMajor, 32, 32,
                          pto::SLayout::RowMajor>;
  using View = GlobalTensor<half, pto::TileShape2D<half, 32, 32, Layout::NZ>,
                            pto::BaseShape2D<half, 32, 32, Layout::NZ>, Layout::NZ>;
  auto source = random_tensor<half>(1024);
  Boxed tile;
  TASSIGN(tile, 0);
  pto::TLOAD(tile, View(source.data()));
  EXPECT_EQ(std::memcmp(tile.data(), source.data(), 2048), 0);
}

/// Even of one that says what with.
TEST(Transfer, BoxedVectorTileIsNotFilled) {
  using Boxed = pto::Tile<TileType::Vec, half, 32, 32, pto::BLayout::ColMajor, 30, 21,
                          pto::SLayout::RowMajor, 512, pto::PadValue::Max>;
  std::vector<half> source(1024, half(1));
  const GlobalTensor<half, Shape<1, 1, 1, 32, 32>, Stride<1024, 1024, 1024, 32, 1>> view(
      source.data());
  Boxed tile;
  TASSIGN(tile, 0);
  std::fill_n(tile.data(), 1024, half(7));
  pto::TLOAD(tile, view);
  EXPECT_EQ(std::count(tile.data(), tile.data() + 1024, half(1)), 30 * 21);
  EXPECT_EQ(std::count(tile.data(), tile.data() + 1024, half(7)), 1024 - 30 * 21);
}

TEST(Transfer, AtomicAdd) {
  using View = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>>;
  RowTile<float, 4, 8> tile(4, 7);
  TASSIGN(tile, 0);
  fill_randomly(tile);
  auto memory = random_tensor<float>(32);
  const auto before = memory;
  View view(memory.data());
  pto::TSTORE<decltype(tile), View, pto::AtomicType::AtomicAdd>(view, tile);
  for (std::size_t k = 0; k < 32; ++k)
    EXPECT_EQ(memory[k], k % 8 < 7 ? before[k] + tile.data()[k] : before[k]);
}

template <class In, class Out>
void expect_product(int m, int k, int n) {
  pto::TileLeft<In, 32, 48, -1, -1> left(m, k);
  pto::TileRight<In, 48, 16, -1, -1> right(k, n);
  pto::TileAcc<Out, 32, 16, -1, -1> sum(m, n), out(m, n);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(sum, 0);
  TASSIGN(out, 4096);
  for (const TileType location : {TileType::Left, TileType::Right, TileType::Acc})
    fill_randomly(location);
  fill(left, [] { return element<In>(random_int(-50, 50)); });
  fill(right, [] { return element<In>(random_int(-50, 50)); });
  fill(sum, [] { return element<Out>(random_int(-50, 50)); });
  const Values<decltype(left)> a(left);
  const Values<decltype(right)> b(right);
  const Values<decltype(sum)> c(sum);
  const auto product = [&](int i, int j) {
    Wide result = 0;
    for (int l = 0; l < k; ++l) result += a(i, l) * b(l, j);
    return result;
  };
  const auto expected = [&](int i, int j) { return element<Out>(c(i, j) + product(i, j)); };
  expect_valid(
      "TMATMUL_ACC", out, [&] { pto::TMATMUL_ACC(out, sum, left, right); }, expected);
  expect_valid(
      "TMATMUL_ACC", sum, [&] { pto::TMATMUL_ACC(sum, left, right); }, expected);
  expect_valid(
      "TMATMUL", sum, [&] { pto::TMATMUL(sum, left, right); },
      [&](int i, int j) { return element<Out>(product(i, j)); });
}

/// A sum keeps what the product does not reach.
TEST(Transfer, ProductSmallerThanItsSum) {
  pto::TileLeft<half, 32, 48, -1, -1> left(8, 48);
  pto::TileRight<half, 48, 16, -1, -1> right(48, 5);
  pto::TileAcc<float, 32, 16> sum;
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(sum, 0);
  fill(left, [] { return half(1); });
  fill(right, [] { return half(2); });
  fill(sum, [] { return 1.0F; });
  expect_elements(
      "TMATMUL_ACC", sum, 8, 5, [&] { pto::TMATMUL_ACC(sum, left, right); },
      [](int, int) { return 97.0F; });
}

TEST(Transfer, Products) {
  expect_product<half, float>(32, 48, 16);
  expect_product<bfloat16_t, float>(17, 5, 9);
  expect_product<int8_t, int32_t>(1, 48, 3);
}

/// What the cube computes leaves L0C as it is, rounded, or cut off at 0.
TEST(Transfer, FromAccumulators) {
  pto::TileAcc<float, 16, 16, -1, -1> acc(11, 13);
  TASSIGN(acc, 0);
  fill(acc, [] { return std::ldexp(static_cast<float>(random_int(-9999, 9999)), -11); });
  const Values<decltype(acc)> values(acc);
  std::vector<half> memory(256);
  pto::TSTORE(GlobalTensor<half, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>>(memory.data()),
              acc);
  for (int i = 0; i < 11; ++i)
    for (int j = 0; j < 13; ++j)
      EXPECT_EQ(memory[static_cast<std::size_t>(16 * i + j)], element<half>(values(i, j)));

  using Mat = pto::Tile<TileType::Mat, half, 16, 16, pto::BLayout::ColMajor, -1, -1,
                        pto::SLayout::RowMajor>;
  Mat mat(11, 13);
  TASSIGN(mat, 64);
  expect_valid(
      "TMOV", mat, [&] { pto::TMOV(mat, acc); },
      [&](int i, int j) { return element<half>(values(i, j)); });
  expect_valid(
      "TMOV", mat, [&] { pto::TMOV<Mat, decltype(acc), pto::ReluPreMode::NormalRelu>(mat, acc); },
      [&](int i, int j) { return element<half>(std::max<Wide>(values(i, j), 0)); });
}

TEST(Transfer, Reshape) {
  RowTile<float, 2, 8> rows(2, 8);
  ColTile<float, 16, 1> column(16, 1);
  TASSIGN(rows, 64);
  fill_randomly(rows);
  pto::TRESHAPE(column, rows);
  EXPECT_EQ(column.address(), 64);
  EXPECT_EQ(column.GetValue(9), rows.GetValue(9));
  column.SetValue(3, 5);
  EXPECT_EQ(rows.data()[3], 5);
}

constexpr auto by_rows = pto::BLayout::RowMajor, by_cols = pto::BLayout::ColMajor;
constexpr auto rows = pto::SLayout::RowMajor, cols = pto::SLayout::ColMajor,
               none = pto::SLayout::NoneBox;
template <int Rows, int Cols, pto::BLayout Outer, pto::SLayout Inner, class T = half,
          TileType Loc = TileType::Mat, int BaseBytes = 512>
using OfCube = pto::Tile<Loc, T, Rows, Cols, Outer, Rows, Cols, Inner, BaseBytes>;

/// Of each byte of a tile here, which one it is on a chip, where tiles lie as vector tiles do here.
template <class Tile>
std::vector<int64_t> bytes_on_chip() {
  using OnChip =
      pto::detail::TileLayout<TileType::Vec, sizeof(typename Tile::DType), Tile::Rows, Tile::Cols,
                              Tile::BFractal, Tile::SFractal, Tile::SFractalSize>;
  constexpr int64_t bytes = sizeof(typename Tile::DType);
  std::vector<int64_t> places(Tile::bytes);
  for (int i = 0; i < Tile::Rows; ++i)
    for (int j = 0; j < Tile::Cols; ++j)
      for (int64_t k = 0; k < bytes; ++k)
        places[static_cast<std::size_t>(Tile::TileLayout::offset(i, j) * bytes + k)] =
            OnChip::offset(i, j) * bytes + k;
  return places;
}
/// The elements of a tile of the cube are row-major, so that only some reshapes of it give what
/// they do on a chip.
template <class Dst, class Src>
bool keeps(const Dst&, const Src&) {
  bool is_allowed = false;  // no constant, so that it is computed when the test runs
  is_allowed = pto::detail::keeps_elements<Dst, Src>();
  EXPECT_EQ(is_allowed, bytes_on_chip<Dst>() == bytes_on_chip<Src>());
  return is_allowed;
}

TEST(Transfer, ReshapesOfBaseTilesInL1) {
  const OfCube<32, 64, by_cols, rows> nz;
  EXPECT_TRUE(keeps(nz, nz));
  EXPECT_TRUE(keeps(OfCube<32, 64, by_cols, rows, int16_t>(), nz));
  EXPECT_TRUE(keeps(OfCube<32, 32, by_cols, rows, float>(), nz));
  EXPECT_TRUE(keeps(OfCube<32, 128, by_cols, rows, int8_t>(), nz));
  EXPECT_FALSE(keeps(OfCube<64, 32, by_cols, rows>(), nz));
  EXPECT_FALSE(keeps(OfCube<64, 16, by_cols, rows, float>(), nz));
  EXPECT_FALSE(keeps(OfCube<32, 64, by_rows, rows>(), nz));
  EXPECT_FALSE(keeps(OfCube<32, 64, by_cols, rows, half, TileType::Mat, 1024>(), nz));

  const OfCube<32, 64, by_rows, rows> zz;
  EXPECT_TRUE(keeps(OfCube<32, 32, by_rows, rows, float>(), zz));
  EXPECT_FALSE(keeps(OfCube<64, 32, by_rows, rows>(), zz));
  const OfCube<64, 32, by_cols, cols> nn;
  EXPECT_TRUE(keeps(nn, nn));
  EXPECT_FALSE(keeps(OfCube<32, 32, by_cols, cols, float>(), nn));
  EXPECT_FALSE(keeps(OfCube<32, 64, by_cols, cols>(), nn));
}

TEST(Transfer, ReshapesToTransposesInL1) {
  const OfCube<32, 64, by_cols, rows> nz;
  const OfCube<64, 32, by_rows, cols> zn;
  EXPECT_TRUE(keeps(zn, nz));
  EXPECT_TRUE(keeps(nz, zn));
  EXPECT_TRUE(keeps(OfCube<32, 32, by_rows, cols, float>(), nz));
  EXPECT_TRUE(keeps(OfCube<32, 32, by_rows, cols, float>(), zn));
  EXPECT_TRUE(keeps(OfCube<128, 32, by_rows, cols, int8_t>(), zn));
  EXPECT_FALSE(keeps(OfCube<32, 64, by_rows, cols>(), nz));
  EXPECT_FALSE(keeps(OfCube<16, 64, by_rows, cols, float>(), zn));
  EXPECT_FALSE(keeps(OfCube<32, 64, by_rows, rows>(), zn));
  EXPECT_FALSE(keeps(OfCube<32, 64, by_cols, cols>(), OfCube<64, 32, by_rows, rows>()));
  const OfCube<32, 64, by_cols, rows, float, TileType::Mat, 1024> wide;
  EXPECT_TRUE(keeps(OfCube<64, 32, by_rows, cols, float, TileType::Mat, 1024>(), wide));
  EXPECT_FALSE(keeps(OfCube<64, 32, by_rows, cols, float>(), wide));
}

TEST(Transfer, ReshapesOfWhatIsNotBoxedInL1) {
  const OfCube<1, 64, by_rows, none> line;
  EXPECT_TRUE(keeps(OfCube<2, 32, by_rows, none>(), line));
  EXPECT_TRUE(keeps(OfCube<2, 16, by_rows, none, float>(), line));
  EXPECT_TRUE(keeps(OfCube<64, 1, by_cols, none>(), line));
  EXPECT_TRUE(keeps(line, OfCube<64, 1, by_cols, none>()));
  EXPECT_TRUE(keeps(OfCube<32, 1, by_cols, none, float>(), OfCube<64, 1, by_cols, none>()));
  EXPECT_FALSE(keeps(OfCube<32, 2, by_cols, none>(), line));
  EXPECT_FALSE(keeps(line, OfCube<32, 2, by_cols, none>()));
  EXPECT_TRUE(keeps(OfCube<32, 2, by_cols, none>(), OfCube<32, 2, by_cols, none>()));
  EXPECT_FALSE(keeps(OfCube<16, 2, by_cols, none, float>(), OfCube<32, 2, by_cols, none>()));
}

TEST(Transfer, ReshapesElsewhere) {
  const OfCube<16, 64, by_cols, rows, half, TileType::Left> left;
  EXPECT_TRUE(keeps(left, left));
  EXPECT_TRUE(keeps(OfCube<16, 32, by_cols, rows, float, TileType::Left>(), left));
  EXPECT_FALSE(keeps(OfCube<64, 16, by_rows, cols, half, TileType::Left>(), left));
  const OfCube<32, 64, by_rows, cols, half, TileType::Right> right;
  EXPECT_TRUE(keeps(right, right));
  EXPECT_FALSE(keeps(OfCube<16, 64, by_rows, cols, float, TileType::Right>(), right));
  const OfCube<32, 64, by_cols, rows, half, TileType::Vec> boxed;
  EXPECT_TRUE(keeps(OfCube<64, 32, by_cols, rows, half, TileType::Vec>(), boxed));
}

}  // namespace
}  // namespace pto2::test
