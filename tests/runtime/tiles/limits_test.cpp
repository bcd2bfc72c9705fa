/// What kernels hand to instructions when something is wrong, or at its limit: sizes that do not
/// fit, views that go nowhere, numbers with too many digits.
#include <gmock/gmock.h>

#include "pto/global_memory.hpp"
#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test {
namespace {

using pto::GlobalTensor;
using pto::RoundMode;
using pto::Shape;
using pto::Stride;
using pto::TileType;
using testing::ElementsAre;
using testing::HasSubstr;

/// What the kernel is told; empty: nothing.
template <class Kernel>
std::string told(Kernel kernel) {
  try {
    kernel();
  } catch (const std::exception& finding) {
    return finding.what();
  }
  return "";
}

/// A tile at the address, whose first row has the values.
template <class T, int Cols>
RowTile<T, 1, Cols> row_of(int64_t address, std::initializer_list<T> values) {
  RowTile<T, 1, Cols> tile(1, static_cast<int>(values.size()));
  TASSIGN(tile, address);
  std::copy(values.begin(), values.end(), tile.data());
  return tile;
}
/// The valid elements of the first row.
template <class Tile>
std::vector<typename Tile::DType> elements_of(const Tile& tile) {
  return {tile.data(), tile.data() + tile.GetValidCol()};
}

TEST(Limits, SizesThatDoNotFitAreNotCutOff) {
  RowTile<float, 4, 8> tile(2, 8);
  TASSIGN(tile, 0);
  constexpr int64_t wraps = (int64_t{1} << 32) + 2;
  tile.SetValidShape(wraps, 8);
  EXPECT_THAT(told([&] { TEXPANDS(tile, 1); }), HasSubstr("is valid beyond its shape"));
  tile.SetValidShape(2, -wraps);
  EXPECT_THAT(told([&] { TEXPANDS(tile, 1); }), HasSubstr("has no valid element"));
  const Shape<1, 1, 1, -1, 8> shape(-wraps);
  float memory[64] = {};
  const GlobalTensor<float, Shape<1, 1, 1, -1, 8>, Stride<1, 1, 1, 8, 1>> view(memory, shape);
  tile.SetValidShape(2, 8);
  EXPECT_THAT(told([&] { TLOAD(tile, view); }), HasSubstr("src has a size of -2147483648 in"));
  const pto::BaseShape2D<float> strides(std::numeric_limits<int64_t>::max(), 2);
  EXPECT_EQ(strides.get(0), 2 * int64_t{INT32_MAX});
  const pto::BaseShape2D<float> wide(2, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(wide.get(0), 2 * int64_t{INT32_MAX});
}

/// A core without a part of what the others do goes through the same instructions with tiles of
/// which nothing is valid, as their kernel says.
TEST(Limits, NothingToDoIsDone) {
  RowTile<float, 4, 8> nothing(0, 0), forgotten, half_empty(4, 0);
  TASSIGN(nothing, 0);
  TASSIGN(forgotten, 0);
  TASSIGN(half_empty, 0);
  EXPECT_THAT(told([&] { TEXPANDS(forgotten, 1); }), HasSubstr("has no valid element"));
  EXPECT_THAT(told([&] { TEXPANDS(half_empty, 1); }), HasSubstr("has no valid element"));
  const GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>> nowhere;
  const Memory before = snapshot(TileType::Vec);
  EXPECT_EQ(told([&] {
              TEXPANDS(nothing, 1);
              TADD(nothing, nothing, nothing);
              TLOAD(nothing, nowhere);
              TSTORE(nowhere, nothing);
            }),
            "");
  EXPECT_EQ(snapshot(TileType::Vec), before);
}

/// Nor is the result of other operands written then.
TEST(Limits, NothingIsWrittenWithoutRoom) {
  RowTile<float, 4, 8> full(4, 8), nothing(0, 0);
  RowTile<float, 8, 8> square(8, 8), no_square(0, 0);
  using Line = RowTile<float, 1, 256>;
  Line line(1, 256), half_line(1, 128), no_line(0, 0);
  RowTile<uint32_t, 1, 256> numbers(1, 128);
  fill_randomly(TileType::Vec);
  TASSIGN(full, 0);
  TASSIGN(square, 1024);
  TASSIGN(line, 2048);
  TASSIGN(half_line, 2048);
  TASSIGN(numbers, 4096);
  TASSIGN(nothing, 8192);
  TASSIGN(no_square, 8192);
  TASSIGN(no_line, 8192);
  const Memory before = snapshot(TileType::Vec);
  EXPECT_EQ(told([&] {
              TROWSUM(nothing, full, full);
              TROWMAX(nothing, full, full);
              TCOLSUM(nothing, full);
              TCOLMIN(nothing, full);
              TCOLSUM(nothing, full, full, true);
              TTRANS(no_square, square, square);
              TSORT32(no_line, half_line, numbers);
              TMRGSORT(no_line, line, 64);
              pto::TGATHER<Line, Line, pto::MaskPattern::P0101>(no_line, line);
            }),
            "");
  EXPECT_EQ(snapshot(TileType::Vec), before);
}

/// One operand that has nothing is a mistake where there is something to do, and none where not.
TEST(Limits, NothingToComputeWith) {
  RowTile<float, 4, 8> full(4, 8), nothing(0, 0);
  RowTile<int32_t, 1, 8> no_rows(0, 0);
  TASSIGN(full, 0);
  TASSIGN(nothing, 0);
  TASSIGN(no_rows, 0);
  EXPECT_THAT(told([&] { TADD(full, full, nothing); }), HasSubstr("must be valid 4x8"));
  EXPECT_THAT(told([&] { TROWEXPANDMUL(full, full, nothing); }), HasSubstr("must be valid 4x8"));
  EXPECT_THAT(told([&] { TCOLEXPANDADD(full, full, nothing); }), HasSubstr("must be valid 1x8"));
  EXPECT_THAT(told([&] { TCOLEXPAND(full, nothing); }), HasSubstr("must be valid 1x8"));
  EXPECT_THAT(told([&] { TMOV(full, nothing); }), HasSubstr("has not all elements of dst"));
  EXPECT_THAT(told([&] { TEXTRACT(full, nothing); }), HasSubstr("has no 4x8 elements"));
  EXPECT_EQ(told([&] {
              TROWEXPANDMUL(nothing, nothing, nothing);
              TCOLEXPANDADD(nothing, nothing, nothing);
              TMOV(nothing, nothing);
              TEXTRACT(nothing, nothing);
              TCONCAT(full, full, nothing);
              TCONCAT(full, nothing, full);
            }),
            "");

  std::vector<float> memory(32, 1);
  const GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>> table(memory.data());
  EXPECT_EQ(told([&] { MSCATTER(table, nothing, no_rows); }), "");
  EXPECT_EQ(memory, std::vector<float>(32, 1));
  no_rows.SetValidShape(1, 4);
  EXPECT_THAT(told([&] { MSCATTER(table, nothing, no_rows); }), HasSubstr("src (Vec float 4x8"));
}

/// The full operand, on whichever side of the one that is spread.
template <class Full>
void expect_full_operand_told(Full& full, const char* what) {
  RowTile<float, 16, 64> dst(16, 64);
  ColTile<float, 16, 1> column(16, 1);
  TASSIGN(dst, 0);
  TASSIGN(column, 4096);
  const auto expect_told = [&](const char* name, auto instruction) {
    EXPECT_THAT(told([&] { instruction(full, column); }), HasSubstr(std::string(": src0 ") + what))
        << name;
    EXPECT_THAT(told([&] { instruction(column, full); }), HasSubstr(std::string(": src1 ") + what))
        << name;
  };
  expect_told("ADD", [&](auto& a, auto& b) { TROWEXPANDADD(dst, a, b); });
  expect_told("SUB", [&](auto& a, auto& b) { TROWEXPANDSUB(dst, a, b); });
  expect_told("MUL", [&](auto& a, auto& b) { TROWEXPANDMUL(dst, a, b); });
  expect_told("DIV", [&](auto& a, auto& b) { TROWEXPANDDIV(dst, a, b); });
  expect_told("MAX", [&](auto& a, auto& b) { TROWEXPANDMAX(dst, a, b); });
  expect_told("MIN", [&](auto& a, auto& b) { TROWEXPANDMIN(dst, a, b); });
  expect_told("EXPDIF", [&](auto& a, auto& b) { TROWEXPANDEXPDIF(dst, a, b); });
}

TEST(Limits, FullOperandOfAnExpansion) {
  RowTile<float, 16, 64> nowhere(16, 64);
  expect_full_operand_told(nowhere, "(Vec float 16x64 valid 16x64 at no address) has no address");
  RowTile<float, 8, 64> small(16, 64);
  TASSIGN(small, 8192);
  expect_full_operand_told(small, "(Vec float 8x64 valid 16x64 at UB 0x2000) is valid beyond its");
}

/// On either side of the full one.
TEST(Limits, SpreadOperandOfAnExpansion) {
  RowTile<float, 16, 64> dst(16, 64), full(16, 64);
  ColTile<float, 16, 1> column(16, 1);
  TASSIGN(dst, 0);
  TASSIGN(full, 8192);
  EXPECT_THAT(told([&] { TROWEXPANDSUB(dst, full, column); }), HasSubstr("src1 (Vec float 16x1"));
  EXPECT_THAT(told([&] { TROWEXPANDSUB(dst, column, full); }), HasSubstr("src0 (Vec float 16x1"));
}

TEST(Limits, NothingToMultiply) {
  pto::TileLeft<half, 16, 16, -1, -1> left(0, 0);
  pto::TileRight<half, 16, 16, -1, -1> right(16, 16);
  pto::TileAcc<float, 16, 16, -1, -1> sum(0, 0);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(sum, 0);
  EXPECT_EQ(told([&] {
              TMATMUL(sum, left, right);
              TMATMUL_ACC(sum, left, right);
            }),
            "");
  left.SetValidShape(16, 16);
  EXPECT_THAT(told([&] { TMATMUL(sum, left, right); }), HasSubstr("must hold the product"));
  right.SetValidShape(0, 0);
  EXPECT_EQ(told([&] { TMATMUL(sum, left, right); }), "");
  sum.SetValidShape(16, 16);
  EXPECT_THAT(told([&] { TMATMUL(sum, left, right); }), HasSubstr("b (Right half 16x16 valid 0x0"));
  left.SetValidShape(0, 0);
  const auto is_told_of_left = HasSubstr("a (Left half 16x16 valid 0x0 at L0A 0x0) must be valid");
  EXPECT_THAT(told([&] { TMATMUL(sum, left, right); }), is_told_of_left);
  EXPECT_THAT(told([&] { TMATMUL_ACC(sum, left, right); }), is_told_of_left);
}

/// The same where the result takes its size from the sources.
TEST(Limits, NothingToArrange) {
  RowTile<float, 8, 8> full(8, 8), nothing(0, 0);
  RowTile<int32_t, 8, 8> places(8, 8);
  using Line = RowTile<float, 1, 256>;
  Line line(1, 256), values(1, 32), no_line(0, 0);
  RowTile<uint32_t, 1, 32> numbers(1, 32), no_numbers(0, 0);
  TASSIGN(full, 0);
  TASSIGN(nothing, 0);
  TASSIGN(places, 512);
  TASSIGN(line, 0);
  TASSIGN(values, 1024);
  TASSIGN(no_line, 0);
  TASSIGN(numbers, 2048);
  TASSIGN(no_numbers, 2048);
  std::fill_n(places.data(), 64, 0);
  const auto expect_told = [](const char* operand, auto kernel) {
    const std::string text = told(kernel);
    EXPECT_THAT(text, HasSubstr(std::string(": ") + operand + " ("));
    EXPECT_THAT(text, HasSubstr("must be valid"));
  };
  expect_told("src", [&] { TROWSUM(full, nothing, full); });
  expect_told("src", [&] { TROWMAX(full, nothing, full); });
  expect_told("src", [&] { TROWMIN(full, nothing, full); });
  expect_told("src", [&] { TCOLSUM(full, nothing); });
  expect_told("src", [&] { TCOLSUM(full, nothing, full, true); });
  expect_told("src", [&] { TCOLMAX(full, nothing); });
  expect_told("src", [&] { TCOLMIN(full, nothing); });
  expect_told("src", [&] { TTRANS(full, nothing, full); });
  expect_told("src0", [&] { TCONCAT(full, nothing, nothing); });
  expect_told("src0", [&] { TGATHER(full, nothing, places, full); });
  expect_told("src", [&] { pto::TGATHER<Line, Line, pto::MaskPattern::P0101>(line, no_line); });
  expect_told("src", [&] { TSORT32(line, no_line, numbers); });
  expect_told("idx", [&] { TSORT32(line, values, no_numbers); });
  expect_told("src", [&] { TMRGSORT(line, no_line, 64); });
  pto::MrgSortExecutedNumList executed{};
  const auto merge_with = [&](Line& other) {
    pto::TMRGSORT<Line, Line, Line, Line, false>(values, executed, line, no_line, other);
  };
  expect_told("src", [&] { merge_with(no_line); });
  EXPECT_EQ(told([&] { merge_with(values); }), "");
}

/// But not where the result has nothing, either.
TEST(Limits, NothingComesOfNothing) {
  using Line = RowTile<float, 1, 256>;
  RowTile<float, 8, 8> nothing(0, 0);
  RowTile<int32_t, 8, 8> no_places(0, 0);
  Line no_line(0, 0);
  RowTile<uint32_t, 1, 256> no_numbers(0, 0);
  TASSIGN(nothing, 0);
  TASSIGN(no_places, 0);
  TASSIGN(no_line, 0);
  TASSIGN(no_numbers, 0);
  fill_randomly(TileType::Vec);
  const Memory before = snapshot(TileType::Vec);
  EXPECT_EQ(told([&] { TROWSUM(nothing, nothing, nothing); }), "");
  EXPECT_EQ(told([&] { TCOLSUM(nothing, nothing); }), "");
  EXPECT_EQ(told([&] { TTRANS(nothing, nothing, nothing); }), "");
  EXPECT_EQ(told([&] { TCONCAT(nothing, nothing, nothing); }), "");
  EXPECT_EQ(told([&] { TGATHER(nothing, nothing, no_places, nothing); }), "");
  EXPECT_EQ(told([&] { pto::TGATHER<Line, Line, pto::MaskPattern::P0101>(no_line, no_line); }), "");
  EXPECT_EQ(told([&] { TSORT32(no_line, no_line, no_numbers); }), "");
  EXPECT_EQ(told([&] { TMRGSORT(no_line, no_line, 64); }), "");
  pto::MrgSortExecutedNumList executed{1, 1, 1, 1};
  EXPECT_EQ(told([&] {
              pto::TMRGSORT<Line, Line, Line, Line, false>(no_line, executed, no_line, no_line,
                                                           no_line);
            }),
            "");
  EXPECT_EQ(executed.mrgSortList0 + executed.mrgSortList1, 0);
  EXPECT_EQ(snapshot(TileType::Vec), before);
}

/// A source that is given nothing leaves padding alone; one that is given no region, what there is.
TEST(Limits, PaddingOfNothing) {
  using Padded = pto::Tile<TileType::Vec, float, 4, 8, pto::BLayout::RowMajor, 4, 8,
                           pto::SLayout::NoneBox, 512, pto::PadValue::Zero>;
  Padded dst;
  RowTile<float, 4, 8> forgotten;
  pto::Tile<TileType::Vec, float, 4, 8, pto::BLayout::RowMajor, -1, 8> half_forgotten;
  TASSIGN(dst, 0);
  TASSIGN(forgotten, 0);
  TASSIGN(half_forgotten, 0);
  fill_randomly(TileType::Vec);
  const Memory before = snapshot(TileType::Vec);
  EXPECT_THAT(told([&] { TFILLPAD(dst, forgotten); }), HasSubstr("src (Vec float 4x8 valid 0x0"));
  EXPECT_THAT(told([&] { TFILLPAD_INPLACE(dst, half_forgotten); }),
              HasSubstr("has no valid element"));
  EXPECT_EQ(snapshot(TileType::Vec), before);
  forgotten.SetValidShape(0, 7);
  EXPECT_EQ(told([&] { TFILLPAD(dst, forgotten); }), "");
}

TEST(Limits, PartsBeyondAllNumbers) {
  pto::Tile<TileType::Mat, float, 32, 48> whole;
  pto::TileLeft<float, 16, 16> part;
  TASSIGN(whole, 0);
  TASSIGN(part, 0);
  constexpr int64_t last = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(told([&] { TEXTRACT(part, whole, last - 3, 0); }),
              HasSubstr("has no 16x16 elements"));
  EXPECT_THAT(told([&] { TEXTRACT(part, whole, 0, last); }), HasSubstr("has no 16x16 elements"));
  EXPECT_EQ(told([&] { TEXTRACT(part, whole, 16, 32); }), "");
}

/// A view of three rows and its strides, loaded to as many rows of a tile.
std::string told_of_view(int64_t outer, int64_t rows, int64_t outer_stride, int64_t row_stride) {
  using Global = GlobalTensor<float, Shape<1, 1, -1, -1, 8>, Stride<1, 1, -1, -1, 1>>;
  std::vector<float> memory(256);
  RowTile<float, 4, 8> tile(4, 8);
  TASSIGN(tile, 0);
  const Global view(memory.data() + 128, {outer, rows}, {outer_stride, row_stride});
  const std::string loaded = told([&] { TLOAD(tile, view); });
  const std::string stored = told([&] { TSTORE(view, tile); });
  EXPECT_EQ(loaded.empty(), stored.empty());
  return loaded;
}

TEST(Limits, ViewsThatGoNowhere) {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(told_of_view(2, 2, 16, 8), "");
  EXPECT_EQ(told_of_view(1, 4, -1, 8), "");  // a stride that nobody uses
  EXPECT_EQ(told_of_view(2, 2, 0, 8), "");
  EXPECT_THAT(told_of_view(2, 2, 16, -1), HasSubstr("src has a stride of -1 in dimension 3"));
  EXPECT_THAT(told_of_view(-2, -3, 16, 8), HasSubstr("src has a size of -2 in dimension 2"));
  EXPECT_THAT(told_of_view(0, 4, 16, 8), HasSubstr("src has a size of 0 in dimension 2"));
  EXPECT_THAT(told_of_view(1, 4, 8, huge / 2), HasSubstr("in dimension 3, where it leaves all"));
  EXPECT_THAT(told_of_view(1, 4, 8, huge / 12), HasSubstr("in dimension 3, where it leaves all"));
}

/// Rows of a tensor may overlap, as windows of a line do.
TEST(Limits, TensorWithOverlappingRows) {
  const auto bytes_of = [](uint32_t rows, uint32_t cols, uint32_t stride) {
    PTOTensor tensor{};
    tensor.shape[0] = rows;
    tensor.shape[1] = cols;
    tensor.strides[0] = stride;
    tensor.strides[1] = 1;
    tensor.dtype = DataType::FLOAT32;
    tensor.ndims = 2;
    const pto::detail::TensorMemory memory(0, tensor);
    return memory.end - memory.begin;
  };
  EXPECT_EQ(bytes_of(4, 8, 8), 4 * 8 * sizeof(float));
  EXPECT_EQ(bytes_of(4, 8, 16), 4 * 16 * sizeof(float));
  EXPECT_EQ(bytes_of(4, 8, 2), (3 * 2 + 8) * sizeof(float));
  EXPECT_EQ(bytes_of(0, 8, 8), 8 * sizeof(float));
}

/// A tile of another type than its tensor has the tensor's bits, however they are copied.
TEST(Limits, TransfersKeepBits) {
  std::vector<bfloat16_t> memory(64, bfloat16_t(1.5F)), stored(64, bfloat16_t(0));
  RowTile<half, 2, 16> tile(2, 16);
  TASSIGN(tile, 0);
  const auto expect_kept = [&](auto stride) {
    using Global = GlobalTensor<bfloat16_t, Shape<1, 1, 1, 2, 16>, decltype(stride)>;
    TLOAD(tile, Global(memory.data()));
    EXPECT_EQ(std::memcmp(tile.data(), memory.data(), 64), 0);
    TSTORE(Global(stored.data()), tile);
    EXPECT_EQ(stored[0].bits, memory[0].bits);
  };
  expect_kept(Stride<1, 1, 1, 32, 1>{});
  expect_kept(Stride<1, 1, 1, 32, 2>{});
}

TEST(Limits, LongIntegersToFloats) {
  constexpr int64_t two_54 = int64_t{1} << 54;
  const auto from = row_of<int64_t, 8>(0, {16777217, -16777217, two_54 + 1, -two_54 - 1, 5});
  RowTile<float, 1, 8> to(1, 5);
  TASSIGN(to, 128);
  const float exact = 18014398509481984.0F, above = 18014400656965632.0F;
  TCVT(to, from, RoundMode::CAST_FLOOR);
  EXPECT_THAT(elements_of(to), ElementsAre(16777216, -16777218, exact, -above, 5));
  TCVT(to, from, RoundMode::CAST_CEIL);
  EXPECT_THAT(elements_of(to), ElementsAre(16777218, -16777216, above, -exact, 5));
  TCVT(to, from, RoundMode::CAST_RINT);
  EXPECT_THAT(elements_of(to), ElementsAre(16777216, -16777216, exact, -exact, 5));
}

/// Rounded once: as a float it would be a tie.
TEST(Limits, IntegersToBfloat16) {
  const auto from = row_of<int32_t, 8>(0, {(1 << 30) + (1 << 22) + 1, (1 << 30) + (1 << 22)});
  RowTile<bfloat16_t, 1, 16> to(1, 2);
  TASSIGN(to, 64);
  TCVT(to, from, RoundMode::CAST_RINT);
  EXPECT_THAT(elements_of(to), ElementsAre(1082130432.0F, 1073741824.0F));
}

TEST(Limits, IntegersToIntegers) {
  const auto from = row_of<int32_t, 8>(0, {40000, -40000, 7, -7});
  RowTile<int16_t, 1, 16> to(1, 4);
  RowTile<uint8_t, 1, 32> bytes(1, 4);
  TASSIGN(to, 64);
  TASSIGN(bytes, 128);
  TCVT(to, from, RoundMode::CAST_RINT);
  EXPECT_THAT(elements_of(to), ElementsAre(32767, -32768, 7, -7));
  TCVT(bytes, from, RoundMode::CAST_RINT);
  EXPECT_THAT(elements_of(bytes), ElementsAre(255, 0, 7, 0));
  TCVT(to, from, RoundMode::CAST_RINT, pto::SaturationMode::OFF);
  EXPECT_THAT(elements_of(to), ElementsAre(40000 - 65536, 65536 - 40000, 7, -7));
  const auto large = row_of<float, 8>(0, {1.5e19F, 3e19F, -1});
  RowTile<uint64_t, 1, 4> wide(1, 3);
  TASSIGN(wide, 64);
  TCVT(wide, large, RoundMode::CAST_RINT);
  EXPECT_THAT(elements_of(wide), ElementsAre(static_cast<uint64_t>(1.5e19F), UINT64_MAX, 0U));
}

TEST(Limits, LogarithmOfTheSmallestNumbers) {
  const float least = std::numeric_limits<float>::denorm_min();
  const auto from = row_of<float, 8>(0, {-least, -1e-40F, least});
  RowTile<float, 1, 8> to(1, 3);
  TASSIGN(to, 32);
  TLOG(to, from);
  EXPECT_TRUE(std::isnan(to.data()[0]) && std::isnan(to.data()[1]));
  EXPECT_FLOAT_EQ(to.data()[2], -103.27893F);
}

TEST(Limits, NanOfBfloat16StaysOne) {
  const uint32_t bits = 0x7F800001;
  float nan;
  std::memcpy(&nan, &bits, sizeof nan);
  EXPECT_EQ(bfloat16_t(nan).bits, 0x7FC0);
}

/// The sum that goes on may be larger than the product, as the one that results.
TEST(Limits, ProductAddedToALargerSum) {
  pto::TileLeft<half, 16, 16, -1, -1> left(8, 16);
  pto::TileRight<half, 16, 16> right;
  pto::TileAcc<float, 16, 16, -1, -1> in(16, 16), out(8, 16);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(in, 0);
  TASSIGN(out, 1024);
  EXPECT_EQ(told([&] { TMATMUL_ACC(out, in, left, right); }), "");
  in.SetValidShape(7, 16);
  EXPECT_THAT(told([&] { TMATMUL_ACC(out, in, left, right); }), HasSubstr("cIn (Acc float 16x16"));
}

/// Results that have no room are told.
TEST(Limits, ResultsWithoutRoom) {
  RowTile<float, 8, 16> dst(8, 16), wide(8, 9), narrow(8, 8);
  for (auto* const tile : {&dst, &wide, &narrow}) TASSIGN(*tile, 0);
  EXPECT_THAT(told([&] { TCONCAT(dst, wide, narrow); }), HasSubstr("no room for 17 columns"));
  EXPECT_EQ(told([&] { TCONCAT(dst, narrow, narrow); }), "");
  EXPECT_THAT(told([&] { TTRANS(dst, wide, wide); }), HasSubstr("no room for 9x8"));
  EXPECT_EQ(told([&] { TTRANS(dst, narrow, narrow); }), "");

  using Row = RowTile<float, 1, 16>;
  Row a(1, 8), b(1, 9), tmp(1, 16);
  for (auto* const tile : {&a, &b, &tmp}) TASSIGN(*tile, 0);
  pto::MrgSortExecutedNumList executed{};
  const auto merge = [&] { pto::TMRGSORT<Row, Row, Row, Row, false>(tmp, executed, tmp, a, b); };
  EXPECT_THAT(told(merge), HasSubstr("no room for all lists: it takes 17 columns"));
  b.SetValidShape(1, 8);
  EXPECT_EQ(told(merge), "");

  RowTile<float, 1, 256> blocks(1, 256), merged(1, 256);
  TASSIGN(blocks, 0);
  TASSIGN(merged, 1024);
  EXPECT_EQ(told([&] { TMRGSORT(merged, blocks, 64); }), "");
  EXPECT_THAT(told([&] { TMRGSORT(merged, blocks, 32); }), HasSubstr("has to be a multiple of 64"));
  EXPECT_THAT(told([&] { TMRGSORT(merged, blocks, 0); }), HasSubstr("has to be a multiple of 64"));
  EXPECT_THAT(told([&] { TMRGSORT(merged, blocks, 128); }), HasSubstr("four blocks of 128"));
}

}  // namespace
}  // namespace pto2::test
