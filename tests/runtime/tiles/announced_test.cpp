/// What instructions say that they read and write, where it is not only the valid elements of their
/// operands: what comes after them is told of it.
#define PTO2_KERNEL_CHECKS 2

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

/// Stores a tile of scratch, and then has it used, awaiting the store or not.
std::string told_of_scratch(bool awaits) {
  std::vector<float> memory(128);
  Part src(8, 16), tmp(8, 16), sums(8, 1);
  TASSIGN(src, 0);
  TASSIGN(tmp, 512);
  TASSIGN(sums, 1024);
  return told([&] {
    TEXPANDS(src, 1);
    TEXPANDS(tmp, 1);
    pass_flag(PIPE_V, PIPE_MTE3);
    TSTORE(Global(memory.data()), tmp);
    if (awaits) pass_flag(PIPE_MTE3, PIPE_V);
    TROWSUM(sums, src, tmp);
  });
}
TEST(Announced, ScratchOfARowSum) {
  EXPECT_THAT(told_of_scratch(false), HasSubstr("PIPE_V writes 0x200..0x3ff of UB"));
  EXPECT_EQ(told_of_scratch(true), "");
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

TEST(Announced, AllPipesHaveNoFlag) {
  EXPECT_THAT(told([] { set_flag(PIPE_ALL, PIPE_V, 0); }), HasSubstr("PIPE_ALL has no flags"));
  EXPECT_THAT(told([] { set_flag(PIPE_V, PIPE_ALL, 0); }), HasSubstr("set_flag at announced_test"));
  EXPECT_THAT(told([] { wait_flag(PIPE_ALL, PIPE_V, 0); }), HasSubstr("PIPE_ALL has no flags"));
}

}  // namespace
}  // namespace pto2::test
