/// What instructions say that they read and write, where it is not only the valid elements of their
/// operands: what comes after them is told of it.
#define PTO2_KERNEL_CHECKS 2

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pto/global_memory.hpp"
#include "pto/pto-inst.hpp"

namespace pto2::test {
namespace {

using namespace pto;

using testing::HasSubstr;

using Part = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using Global = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 16, 1>>;

/// What the kernel is told; empty: nothing.
template <class Kernel>
std::string told(Kernel kernel) {
  detail::begin_accesses();
  try {
    kernel();
  } catch (const std::exception& finding) {
    return finding.what();
  }
  return "";
}

void pass_flag(pipe_t from, pipe_t to) {
  set_flag(from, to, EVENT_ID0);
  wait_flag(from, to, EVENT_ID0);
}

/// Tiles for an instruction with scratch.
struct Scratched {
  Scratched() : src(8, 16), tmp(8, 16), dst(8, 16), sums(8, 1), row(1, 16) {
    TASSIGN(src, 0);
    TASSIGN(tmp, 512);
    TASSIGN(dst, 1024);
    TASSIGN(sums, 1536);
    TASSIGN(row, 2048);
    TASSIGN(column, 2560);
    TASSIGN(indices, 3072);
    TASSIGN(pairs, 4096);
    TASSIGN(halves, 5120);
    std::fill_n(indices.data(), 128, 127U);
  }
  Part src, tmp, dst, sums, row;
  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor> column;
  Tile<TileType::Vec, uint32_t, 8, 16> indices;
  Tile<TileType::Vec, float, 8, 32> pairs;
  Tile<TileType::Vec, half, 8, 16> halves;
};

/// Stores the scratch, and then has it used, awaiting the store or not.
template <class Instruction>
std::string told_of_scratch(bool awaits, Instruction instruction) {
  std::vector<float> memory(128);
  Scratched tiles;
  return told([&] {
    TEXPANDS(tiles.src, 1);
    TEXPANDS(tiles.tmp, 1);
    TEXPANDS(tiles.column, 1);
    TEXPANDS(tiles.indices, 127U);
    pass_flag(PIPE_V, PIPE_MTE3);
    TSTORE(Global(memory.data()), tiles.tmp);
    if (awaits) pass_flag(PIPE_MTE3, PIPE_V);
    instruction(tiles);
  });
}
template <class Instruction>
void expect_uses_scratch(const char* name, Instruction instruction) {
  EXPECT_THAT(told_of_scratch(false, instruction), HasSubstr("PIPE_V writes 0x200..0x3ff of UB"))
      << name;
  EXPECT_EQ(told_of_scratch(true, instruction), "") << name;
}

TEST(Announced, ScratchIsWritten) {
  expect_uses_scratch("TROWSUM", [](Scratched& t) { TROWSUM(t.sums, t.src, t.tmp); });
  expect_uses_scratch("ADD", [](Scratched& t) { TROWEXPANDADD(t.dst, t.src, t.column, t.tmp); });
  expect_uses_scratch("SUB", [](Scratched& t) { TROWEXPANDSUB(t.dst, t.src, t.column, t.tmp); });
  expect_uses_scratch("MUL", [](Scratched& t) { TROWEXPANDMUL(t.dst, t.src, t.column, t.tmp); });
  expect_uses_scratch("DIV", [](Scratched& t) { TROWEXPANDDIV(t.dst, t.src, t.column, t.tmp); });
  expect_uses_scratch("MAX", [](Scratched& t) { TROWEXPANDMAX(t.dst, t.src, t.column, t.tmp); });
  expect_uses_scratch("MIN", [](Scratched& t) { TROWEXPANDMIN(t.dst, t.column, t.src, t.tmp); });
  expect_uses_scratch("EXP", [](Scratched& t) { TROWEXPANDEXPDIF(t.dst, t.src, t.column, t.tmp); });
  expect_uses_scratch("TGATHER", [](Scratched& t) { TGATHER(t.dst, t.src, t.indices, t.tmp); });
  expect_uses_scratch("TCVT",
                      [](Scratched& t) { TCVT(t.halves, t.src, t.tmp, RoundMode::CAST_RINT); });
  expect_uses_scratch("TCVT", [](Scratched& t) {
    TCVT(t.halves, t.src, t.tmp, RoundMode::CAST_RINT, SaturationMode::ON);
  });
  expect_uses_scratch("TSORT32", [](Scratched& t) { TSORT32(t.pairs, t.src, t.indices, t.tmp); });
  Tile<TileType::Vec, float, 16, 8> transposed;
  TASSIGN(transposed, 6144);
  expect_uses_scratch("TTRANS", [&](Scratched& t) { TTRANS(transposed, t.src, t.tmp); });
}

/// By a tree half of the rows, where there is room for them; row by row none.
TEST(Announced, ScratchOfAColumnSum) {
  const auto sum = [](bool is_binary, bool awaits, int rows = 8, int cols = 16) {
    return told_of_scratch(awaits, [=](Scratched& t) {
      t.tmp.SetValidShape(4, 16);
      t.src.SetValidShape(rows, cols);
      t.row.SetValidShape(1, cols);
      TCOLSUM(t.row, t.src, t.tmp, is_binary);
    });
  };
  EXPECT_EQ(sum(false, false), "");
  EXPECT_THAT(sum(true, false), HasSubstr("PIPE_V writes 0x200..0x2ff of UB"));
  EXPECT_EQ(sum(true, true), "");
  Tile<TileType::Vec, float, 2, 16> small;
  TASSIGN(small, 512);
  const auto in_small = [&](int rows) {
    return told_of_scratch(true, [&](Scratched& t) {
      t.src.SetValidShape(rows, 16);
      TCOLSUM(t.row, t.src, small, true);
    });
  };
  EXPECT_EQ(in_small(4), "");
  EXPECT_THAT(in_small(5), HasSubstr("tmp (Vec float 2x16 valid 2x16 at UB 0x200) is smaller than "
                                     "the 3x16 elements"));
}

/// Only the last block of a row may need it.
TEST(Announced, ScratchOfASortOfFullBlocks) {
  Tile<TileType::Vec, float, 1, 32> src;
  Tile<TileType::Vec, float, 1, 64> pairs;
  Tile<TileType::Vec, uint32_t, 1, 32> indices;
  TASSIGN(src, 8192);
  TASSIGN(indices, 8320);
  TASSIGN(pairs, 8448);
  EXPECT_EQ(told_of_scratch(false,
                            [&](Scratched& t) {
                              TEXPANDS(src, 1);
                              TEXPANDS(indices, 1U);
                              TSORT32(pairs, src, indices, t.tmp);
                            }),
            "");
}

/// What the cube has computed leaves by a pipe of its own.
std::string told_of_store(pipe_t awaits) {
  std::vector<float> memory(256);
  TileLeft<half, 16, 16> left;
  TileRight<half, 16, 16> right;
  Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor> mat;
  TileAcc<float, 16, 16> sum;
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(mat, 0);
  TASSIGN(sum, 0);
  return told([&] {
    TEXPANDS(mat, half(1));
    pass_flag(PIPE_MTE2, PIPE_MTE1);
    TMOV(left, mat);
    TMOV(right, mat);
    pass_flag(PIPE_MTE1, PIPE_M);
    TMATMUL(sum, left, right);
    pass_flag(PIPE_M, awaits);
    TSTORE(GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>>(memory.data()), sum);
  });
}
TEST(Announced, PipeOfAStoreFromL0C) {
  EXPECT_EQ(told_of_store(PIPE_FIX), "");
  EXPECT_THAT(told_of_store(PIPE_MTE3), HasSubstr("PIPE_FIX reads 0x0..0x3ff of L0C"));
}

/// All of a tile that has been padded may be read.
TEST(Announced, PaddingIsWritten) {
  using Padded = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC,
                      SLayout::NoneBox, 512, PadValue::Min>;
  Part src(3, 5), whole(8, 16);
  Padded padded(3, 5);
  TASSIGN(src, 0);
  TASSIGN(padded, 512);
  TASSIGN(whole, 512);
  EXPECT_EQ(told([&] {
              TEXPANDS(src, 1);
              TFILLPAD(padded, src);
              TNEG(whole, whole);
            }),
            "");
}

/// A boxed tile counts as a whole: its valid elements are all over it.
TEST(Announced, BoxedTilesCountWhole) {
  using Boxed =
      Tile<TileType::Vec, half, 32, 32, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor>;
  using Rows = Tile<TileType::Vec, half, 32, 32, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
  Boxed boxed(1, 32);
  Rows unboxed(1, 32);
  TASSIGN(boxed, 0);
  TASSIGN(unboxed, 2048);
  EXPECT_EQ(told([&] {
              TEXPANDS(boxed, half(1));
              TMOV(unboxed, boxed);
            }),
            "");
  std::vector<half> memory(1024);
  using View = GlobalTensor<half, Shape<1, 1, 1, 32, 32>, Stride<1, 1, 1, 32, 1>>;
  const auto load_again = [&](bool awaits) {
    return told([&] {
      TLOAD(boxed, View(memory.data()));
      pass_flag(PIPE_MTE2, PIPE_V);
      TMOV(unboxed, boxed);
      if (awaits) pass_flag(PIPE_V, PIPE_MTE2);
      TLOAD(boxed, View(memory.data()));
    });
  };
  EXPECT_THAT(load_again(false), HasSubstr("PIPE_MTE2 writes 0x0..0x7ff of UB"));
  EXPECT_EQ(load_again(true), "");
}

/// An operand for each column may have more of them.
TEST(Announced, WiderOperandOfColumns) {
  Part full(8, 12), row(1, 16);
  TASSIGN(full, 0);
  TASSIGN(row, 512);
  const auto add = [&] {
    TEXPANDS(full, 1);
    TEXPANDS(row, 1);
    TCOLEXPANDADD(full, full, row);
    TCOLEXPAND(full, row);
  };
  EXPECT_EQ(told(add), "");
  row.SetValidShape(1, 11);
  EXPECT_THAT(told(add), HasSubstr("src1 (Vec float 8x16 valid 1x11"));
}

/// A kernel that is told what it reads unwritten, if its operand has not been written.
template <class Kernel>
void expect_reads_operand(const char* name, Kernel kernel) {
  EXPECT_EQ(told([&] { kernel(true); }), "") << name;
  EXPECT_THAT(told([&] { kernel(false); }), HasSubstr("which nobody has written")) << name;
}

TEST(Announced, SecondOperandsAreRead) {
  Part src(8, 16), other(8, 16), dst(8, 16);
  Tile<TileType::Vec, uint32_t, 8, 16> index;
  Tile<TileType::Vec, float, 8, 32> pairs;
  TASSIGN(src, 0);
  TASSIGN(other, 512);
  TASSIGN(dst, 1024);
  TASSIGN(index, 1536);
  TASSIGN(pairs, 2048);
  std::fill_n(index.data(), 128, 127U);
  expect_reads_operand("TGATHER", [&](bool written) {
    TEXPANDS(src, 1);
    if (written) TEXPANDS(index, 127U);
    TGATHER(dst, src, index, index);
  });
  expect_reads_operand("TGATHER", [&](bool written) {
    src.SetValidShape(written ? 8 : 7, 16);
    TEXPANDS(src, 1);
    TEXPANDS(index, 127U);
    src.SetValidShape(8, 16);
    TGATHER(dst, src, index, index);
  });
  expect_reads_operand("TCOLEXPANDADD", [&](bool written) {
    TEXPANDS(src, 1);
    if (written) TEXPANDS(other, 1);
    TCOLEXPANDADD(dst, src, other);
  });
  expect_reads_operand("TSORT32", [&](bool written) {
    TEXPANDS(src, 1);
    if (written) TEXPANDS(index, 127U);
    TSORT32(pairs, src, index);
  });
}

TEST(Announced, OperandsOfTheCubeAreRead) {
  using Mat =
      Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor>;
  Mat mat(32, 32), part(16, 32);
  TileLeft<half, 16, 16> left;
  TileRight<half, 16, 16> right;
  TileAcc<float, 16, 16> sum, other;
  TASSIGN(mat, 0);
  TASSIGN(part, 0);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(sum, 0);
  TASSIGN(other, 1024);
  std::vector<half> memory(1024);
  using View = GlobalTensor<half, Shape<1, 1, 1, 32, 32>, Stride<1, 1, 1, 32, 1>>;
  expect_reads_operand("TEXTRACT", [&](bool written) {
    TLOAD(written ? mat : part, View(memory.data()));
    pass_flag(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, mat, 16, 16);
  });
  const auto multiply = [&](bool with_right, bool with_sum) {
    TEXPANDS(mat, half(1));
    pass_flag(PIPE_MTE2, PIPE_MTE1);
    TEXTRACT(left, mat, 0, 0);
    if (with_right) TEXTRACT(right, mat, 0, 0);
    pass_flag(PIPE_MTE1, PIPE_M);
    TMATMUL(with_sum ? other : sum, left, right);
    TMATMUL_ACC(sum, other, left, right);
  };
  expect_reads_operand("TMATMUL", [&](bool written) { multiply(written, true); });
  expect_reads_operand("TMATMUL_ACC", [&](bool written) { multiply(true, written); });
}

/// A kernel that reads a result from its begin, or with more of the rows or columns than it has.
template <class Tile, class Kernel>
void expect_writes(const char* name, Tile& dst, int rows, int cols, bool is_wider, Kernel kernel) {
  Part copy(rows, cols);
  TASSIGN(copy, 8192);
  expect_reads_operand(name, [&](bool written) {
    kernel();
    const int wrong_rows = is_wider ? rows : rows + 1, wrong_cols = is_wider ? cols + 1 : cols;
    dst.SetValidShape(written ? rows : wrong_rows, written ? cols : wrong_cols);
    copy.SetValidShape(dst.GetValidRow(), dst.GetValidCol());
    TMOV(copy, dst);
    dst.SetValidShape(rows, cols);
  });
}

TEST(Announced, ResultsAreWrittenWhereTheyAre) {
  Part src(6, 10), narrow(6, 4), dst(6, 10);
  TASSIGN(src, 0);
  TASSIGN(narrow, 512);
  TASSIGN(dst, 1024);
  Tile<TileType::Vec, float, 8, 16, BLayout::ColMajor, DYNAMIC, DYNAMIC> by_cols(6, 10);
  TASSIGN(by_cols, 2048);
  const auto fill = [&] {
    TEXPANDS(src, 1);
    TEXPANDS(narrow, 1);
  };
  const auto sum_rows = [&] {
    fill();
    dst.SetValidShape(6, 10);
    TROWSUM(dst, src, src);
  };
  expect_writes("TROWSUM", dst, 6, 1, true, sum_rows);
  const auto sum_cols = [&] {
    fill();
    dst.SetValidShape(6, 10);
    TCOLSUM(dst, src);
  };
  expect_writes("TCOLSUM", dst, 1, 10, false, sum_cols);
  dst.SetValidShape(6, 14);
  const auto join = [&] { fill(), TCONCAT(dst, src, narrow); };
  expect_writes("TCONCAT", dst, 6, 14, true, join);
  const auto take = [&] { fill(), TGATHER<Part, Part, MaskPattern::P0101>(dst, src); };
  expect_writes("TGATHER", dst, 6, 5, true, take);
  const auto spread = [&] { TEXPANDS(by_cols, 2); };
  expect_writes("TEXPANDS", by_cols, 6, 10, true, spread);
  expect_writes("TEXPANDS", by_cols, 6, 10, false, spread);
}

/// Columns lie one after the other, in a buffer and in global memory.
TEST(Announced, ColumnsAreReadAndWrittenWhereTheyAre) {
  Tile<TileType::Vec, float, 8, 16, BLayout::ColMajor, DYNAMIC, DYNAMIC> by_cols(6, 10);
  Tile<TileType::Vec, float, 1, 128> flat;
  Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, DYNAMIC, DYNAMIC> part(1, 6);
  TASSIGN(by_cols, 0);
  TASSIGN(flat, 0);
  TASSIGN(part, 1024);
  const auto extract = [&](int from) {
    return told([&] {
      TEXPANDS(by_cols, 1);
      TEXTRACT(part, flat, 0, from);
    });
  };
  EXPECT_EQ(extract(9 * 8), "");
  EXPECT_THAT(extract(9 * 8 + 1), HasSubstr("reads 0x138..0x13b of UB, which nobody"));

  std::vector<float> memory(256);
  using Columns = GlobalTensor<float, Shape<1, 1, 1, 6, 10>, Stride<1, 1, 1, 1, 20>, Layout::DN>;
  using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 6>, Stride<1, 1, 1, 6, 1>>;
  const auto load_behind = [&](int from) {
    return told([&] {
      TEXPANDS(by_cols, 1);
      pass_flag(PIPE_V, PIPE_MTE3);
      TSTORE(Columns(memory.data()), by_cols);
      TLOAD(part, Row(memory.data() + from));
    });
  };
  EXPECT_EQ(load_behind(9 * 20 + 6), "");
  EXPECT_THAT(load_behind(9 * 20 + 5), HasSubstr("of GM, which TSTORE in line"));
}

/// Of a table, the rows or elements that indices name.
template <Coalesce Mode>
std::string told_of_load_behind_scatter(int from) {
  std::vector<float> memory(128);
  Tile<TileType::Vec, float, 2, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC> src(2, 16);
  Tile<TileType::Vec, int32_t, 2, 8, BLayout::RowMajor, DYNAMIC, DYNAMIC> indices(1, 2);
  Tile<TileType::Vec, float, 1, 8> part;
  TASSIGN(src, 0);
  TASSIGN(indices, 256);
  TASSIGN(part, 512);
  if (Mode == Coalesce::Elem) src.SetValidShape(1, 2);
  return told([&] {
    TEXPANDS(src, 1);
    TEXPANDS(indices, 0);
    indices.data()[0] = Mode == Coalesce::Row ? 5 : 5 * 16 + 9;
    indices.data()[1] = Mode == Coalesce::Row ? 2 : 2 * 16 + 7;
    MSCATTER<Mode>(Global(memory.data()), src, indices);
    using View = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<8, 8, 8, 8, 1>>;
    TLOAD(part, View(memory.data() + from));
  });
}
TEST(Announced, OnlyWhatIsScatteredIsWritten) {
  const auto of_table = HasSubstr("of GM, which MSCATTER in line");
  const auto behind_rows = told_of_load_behind_scatter<Coalesce::Row>;
  for (const int free : {0, 24, 3 * 16, 4 * 16 + 8, 6 * 16}) EXPECT_EQ(behind_rows(free), "");
  for (const int written : {25, 2 * 16, 2 * 16 + 8, 4 * 16 + 9, 5 * 16 + 8})
    EXPECT_THAT(behind_rows(written), of_table) << written;
  const auto behind_elements = told_of_load_behind_scatter<Coalesce::Elem>;
  for (const int free : {0, 2 * 16 - 1, 2 * 16 + 8, 5 * 16 + 1, 5 * 16 + 10})
    EXPECT_EQ(behind_elements(free), "") << free;
  for (const int written : {2 * 16, 2 * 16 + 7, 5 * 16 + 2, 5 * 16 + 9})
    EXPECT_THAT(behind_elements(written), of_table) << written;
}

TEST(Announced, PartsAreValidInTheirSource) {
  Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC> whole(8, 16), part(4, 8);
  TASSIGN(whole, 0);
  TASSIGN(part, 1024);
  const auto extract = [&](int rows, int cols) {
    return told([&] {
      whole.SetValidShape(8, 16);
      TEXPANDS(whole, 1);
      whole.SetValidShape(rows, cols);
      TEXTRACT(part, whole, 3, 5);
    });
  };
  EXPECT_EQ(extract(7, 13), "");
  const auto beyond = HasSubstr(
      "src (Vec float 8x16 valid 6x13 at UB 0x0) has not all elements of "
      "dst, which takes 4x8 from row 3 and column 5 on");
  EXPECT_THAT(extract(6, 13), beyond);
  EXPECT_THAT(extract(7, 12), HasSubstr("has not all elements of dst"));
  part.SetValidShape(0, 0);
  EXPECT_EQ(extract(0, 0), "") << "there is nothing to take";
}

/// A tile that gets its place once the content is there is a view of it.
TEST(Announced, TimeOfTheAssignment) {
  Part whole(8, 16);
  Tile<TileType::Vec, float, 1, 16> row;
  TASSIGN(whole, 0);
  const auto write_row = [&](bool before) {
    return told([&] {
      if (before) TASSIGN(row, 64);
      TEXPANDS(whole, 1);
      if (!before) TASSIGN(row, 64);
      TEXPANDS(row, 2);
      TNEG(whole, whole);
    });
  };
  EXPECT_EQ(write_row(false), "");
  EXPECT_THAT(write_row(true), HasSubstr("has overwritten"));
}

TEST(Announced, AllPipesHaveNoFlag) {
  EXPECT_THAT(told([] { set_flag(PIPE_ALL, PIPE_V, 0); }), HasSubstr("PIPE_ALL has no flags"));
  EXPECT_THAT(told([] { set_flag(PIPE_V, PIPE_ALL, 0); }), HasSubstr("set_flag at announced_test"));
  EXPECT_THAT(told([] { wait_flag(PIPE_ALL, PIPE_V, 0); }), HasSubstr("PIPE_ALL has no flags"));
}

}  // namespace
}  // namespace pto2::test
