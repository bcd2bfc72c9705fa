/// Kernels with one mistake each, which is told at its line; and the same without it, which are
/// told nothing.
#define PTO2_KERNEL_CHECKS 2

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "pto/global_memory.hpp"
#include "pto/pto-inst.hpp"

using namespace pto;

namespace {

/// Whether the kernel has its mistake.
bool wrong = false;
/// The line that it is told at.
int told_line = 0;

// In front of the instruction that is told.
#define TOLD_HERE told_line = __LINE__;

constexpr int rows = 16, cols = 64;
using Vec = Tile<TileType::Vec, float, rows, cols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using Global = GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, cols, 1>>;
using PerRow = Tile<TileType::Vec, float, rows, 1, BLayout::ColMajor>;
using InL1 = Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor>;
using InL0A = TileLeft<half, 16, 16>;
using InL0B = TileRight<half, 16, 16>;
using Sum = TileAcc<float, 16, 16>;
constexpr int tile_bytes = rows * cols * 4;

/// Two operands and a result in global memory.
struct Tensors {
  Global a, b, c;
};

struct ThreeTiles {
  ThreeTiles() {
    TASSIGN(a, 0);
    TASSIGN(b, tile_bytes);
    TASSIGN(c, 2 * tile_bytes);
  }
  Vec a{rows, cols}, b{rows, cols}, c{rows, cols};
};

void pass_flag(pipe_t from, pipe_t to, event_t event = EVENT_ID0) {
  set_flag(from, to, event);
  wait_flag(from, to, event);
}

// ---- flags and barriers ----

void load_unawaited(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  if (!wrong) pass_flag(PIPE_MTE2, PIPE_V);
  TOLD_HERE TADDS(v.c, v.a, 1.0F);
  pass_flag(PIPE_V, PIPE_MTE3);
  TSTORE(t.c, v.c);
}

void store_before_its_result(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_V);
  TADDS(v.c, v.a, 1.0F);
  if (!wrong) pass_flag(PIPE_V, PIPE_MTE3);
  TOLD_HERE TSTORE(t.c, v.c);
}

void second_load_unawaited(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  if (wrong) pass_flag(PIPE_MTE2, PIPE_V);
  TLOAD(v.b, t.b);
  if (!wrong) pass_flag(PIPE_MTE2, PIPE_V);
  TOLD_HERE TADD(v.c, v.a, v.b);
}

void buffer_loaded_while_it_is_read(Tensors& t) {
  ThreeTiles v;
  for (int i = 0; i < 2; ++i) {
    TOLD_HERE TLOAD(v.a, t.a);
    pass_flag(PIPE_MTE2, PIPE_V);
    TADDS(v.c, v.a, 1.0F);
    if (!wrong) pass_flag(PIPE_V, PIPE_MTE2);
  }
}

void result_computed_while_it_is_stored(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_V);
  for (int i = 0; i < 2; ++i) {
    TOLD_HERE TADDS(v.c, v.a, 1.0F);
    pass_flag(PIPE_V, PIPE_MTE3);
    TSTORE(t.c, v.c);
    if (!wrong) pass_flag(PIPE_MTE3, PIPE_V);
  }
}

void flag_the_wrong_way_round(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  wrong ? pass_flag(PIPE_V, PIPE_MTE2) : pass_flag(PIPE_MTE2, PIPE_V);
  TOLD_HERE TADDS(v.c, v.a, 1.0F);
}

void wait_for_another_event(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TOLD_HERE wait_flag(PIPE_MTE2, PIPE_V, wrong ? EVENT_ID1 : EVENT_ID0);
  TADDS(v.c, v.a, 1.0F);
}

void cube_before_its_operands(Tensors&) {
  InL1 l1;
  InL0A a;
  InL0B b;
  Sum c;
  TASSIGN(l1, 0);
  TASSIGN(a, 0);
  TASSIGN(b, 0);
  TASSIGN(c, 0);
  TEXPANDS(l1, half(1));
  pass_flag(PIPE_MTE2, PIPE_MTE1);
  TMOV(a, l1);
  TMOV(b, l1);
  if (!wrong) pass_flag(PIPE_MTE1, PIPE_M);
  TOLD_HERE TMATMUL(c, a, b);
}

void scalar_before_the_vector(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_V);
  TADDS(v.c, v.a, 1.0F);
  if (!wrong) pass_flag(PIPE_V, PIPE_S);
  TOLD_HERE static_cast<void>(v.c.GetValue(0));
}

void tensor_loaded_while_it_is_stored(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_MTE3);
  TSTORE(t.c, v.a);
  if (!wrong) pipe_barrier(PIPE_ALL);
  TOLD_HERE TLOAD(v.b, t.c);
}

// ---- out of range ----

void tile_beyond_its_buffer(Tensors& t) {
  Vec a(rows, cols);
  TOLD_HERE TASSIGN(a, 192 * 1024 - tile_bytes + (wrong ? 32 : 0));
  TLOAD(a, t.a);
}

void load_beyond_the_tensor(Tensors& t) {
  ThreeTiles v;
  Global behind(t.a.data() + (wrong ? cols : 0));
  TOLD_HERE TLOAD(v.a, behind);
}

void store_beyond_the_tensor(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_MTE3);
  Global behind(t.c.data() + (wrong ? 1 : 0));
  TOLD_HERE TSTORE(behind, v.a);
}

void strides_beyond_the_tensor(Tensors& t) {
  using Apart = GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, DYNAMIC, 1>>;
  ThreeTiles v;
  Apart apart(t.a.data(), Shape<1, 1, 1, rows, cols>(),
              Stride<1, 1, 1, DYNAMIC, 1>(wrong ? 2 * cols : cols));
  TOLD_HERE TLOAD(v.a, apart);
}

void cube_tile_beyond_its_buffer(Tensors&) {
  Sum c;
  TOLD_HERE TASSIGN(c, 128 * 1024 - (wrong ? 512 : 1024));
}

// ---- never written ----

void operand_never_loaded(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_V);
  if (!wrong) TEXPANDS(v.b, 0.0F);
  TOLD_HERE TADD(v.c, v.a, v.b);
}

void stored_before_it_is_written(Tensors& t) {
  ThreeTiles v;
  if (!wrong) TEXPANDS(v.c, 0.0F);
  pass_flag(PIPE_V, PIPE_MTE3);
  TOLD_HERE TSTORE(t.c, v.c);
}

void padding_never_filled(Tensors& t) {
  ThreeTiles v;
  v.a.SetValidShape(rows, wrong ? cols - 1 : cols);
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_V);
  v.a.SetValidShape(rows, cols);
  TOLD_HERE TADDS(v.c, v.a, 1.0F);
}

void sums_never_begun(Tensors&) {
  InL1 l1;
  InL0A a;
  InL0B b;
  Sum c;
  TASSIGN(l1, 0);
  TASSIGN(a, 0);
  TASSIGN(b, 0);
  TASSIGN(c, 0);
  TEXPANDS(l1, half(1));
  pass_flag(PIPE_MTE2, PIPE_MTE1);
  TMOV(a, l1);
  TMOV(b, l1);
  pass_flag(PIPE_MTE1, PIPE_M);
  if (!wrong) TMATMUL(c, a, b);
  TOLD_HERE TMATMUL_ACC(c, c, a, b);
}

void maxima_of_too_few_rows(Tensors& t) {
  ThreeTiles v;
  PerRow maxima;
  TASSIGN(maxima, 3 * tile_bytes);
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_V);
  if (!wrong) TROWMAX(maxima, v.a, v.b);
  TOLD_HERE TROWEXPANDSUB(v.c, v.a, maxima);
}

// ---- valid regions ----

void nothing_is_valid(Tensors& t) {
  ThreeTiles v;
  v.a.SetValidShape(wrong ? 0 : rows, cols);
  TOLD_HERE TLOAD(v.a, t.a);
}

void valid_beyond_the_tile(Tensors& t) {
  ThreeTiles v;
  v.a.SetValidShape(rows, wrong ? cols + 1 : cols);
  TOLD_HERE TLOAD(v.a, t.a);
}

void valid_beyond_the_view(Tensors& t) {
  using Short = GlobalTensor<float, Shape<1, 1, 1, rows, DYNAMIC>, Stride<1, 1, 1, cols, 1>>;
  ThreeTiles v;
  Short part(t.a.data(), Shape<1, 1, 1, rows, DYNAMIC>(wrong ? cols - 8 : cols));
  TOLD_HERE TLOAD(v.a, part);
}

void operands_valid_in_other_places(Tensors& t) {
  ThreeTiles v;
  TLOAD(v.a, t.a);
  TLOAD(v.b, t.b);
  pass_flag(PIPE_MTE2, PIPE_V);
  if (wrong) v.b.SetValidShape(rows - 1, cols);
  TOLD_HERE TADD(v.c, v.a, v.b);
}

void matrices_that_do_not_meet(Tensors&) {
  Tile<TileType::Mat, half, 16, 32, BLayout::ColMajor, 16, DYNAMIC, SLayout::RowMajor> l1(32);
  Tile<TileType::Mat, half, 32, 16, BLayout::ColMajor, 32, 16, SLayout::RowMajor> right_l1;
  TileLeft<half, 16, 32, 16, DYNAMIC> a(32);
  TileRight<half, 32, 16> b;
  Sum c;
  TASSIGN(l1, 0);
  TASSIGN(right_l1, 0x1000);
  TASSIGN(a, 0);
  TASSIGN(b, 0);
  TASSIGN(c, 0);
  TEXPANDS(l1, half(1));
  TEXPANDS(right_l1, half(1));
  pass_flag(PIPE_MTE2, PIPE_MTE1);
  TMOV(a, l1);
  TMOV(b, right_l1);
  pass_flag(PIPE_MTE1, PIPE_M);
  if (wrong) a.SetValidShape(16, 16);
  TOLD_HERE TMATMUL(c, a, b);
}

// ---- tiles that overlap ----

void second_tile_over_the_first(Tensors& t) {
  ThreeTiles v;
  TASSIGN(v.b, wrong ? tile_bytes / 2 : tile_bytes);
  TLOAD(v.a, t.a);
  TLOAD(v.b, t.b);
  pass_flag(PIPE_MTE2, PIPE_V);
  TOLD_HERE TADD(v.c, v.a, v.b);
}

void result_over_an_operand_used_again(Tensors& t) {
  ThreeTiles v;
  TASSIGN(v.c, (wrong ? 1 : 2) * tile_bytes - 32 * wrong);
  TLOAD(v.a, t.a);
  TLOAD(v.b, t.b);
  pass_flag(PIPE_MTE2, PIPE_V);
  TADDS(v.c, v.a, 1.0F);
  TOLD_HERE TADD(v.c, v.a, v.b);
}

void maxima_in_the_tile(Tensors& t) {
  ThreeTiles v;
  PerRow maxima;
  TASSIGN(maxima, wrong ? tile_bytes - rows * 4 : 3 * tile_bytes);
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_V);
  TROWMAX(maxima, v.a, v.b);
  TOLD_HERE TROWEXPANDSUB(v.c, v.a, maxima);
}

void narrow_copy_over_the_wide_tile(Tensors& t) {
  ThreeTiles v;
  Tile<TileType::Vec, half, rows, cols> narrow;
  TASSIGN(narrow, wrong ? 0 : tile_bytes);
  TLOAD(v.a, t.a);
  pass_flag(PIPE_MTE2, PIPE_V);
  TCVT(narrow, v.a, RoundMode::CAST_RINT);
  TOLD_HERE TMULS(v.c, v.a, 2.0F);
}

void left_operands_in_one_place(Tensors&) {
  InL1 l1;
  InL0A first, second;
  InL0B b;
  Sum c;
  TASSIGN(l1, 0);
  TASSIGN(first, 0);
  TASSIGN(second, wrong ? 256 : 512);
  TASSIGN(b, 0);
  TASSIGN(c, 0);
  TEXPANDS(l1, half(1));
  pass_flag(PIPE_MTE2, PIPE_MTE1);
  TMOV(first, l1);
  TMOV(second, l1);
  TMOV(b, l1);
  pass_flag(PIPE_MTE1, PIPE_M);
  TOLD_HERE TMATMUL(c, first, b);
}

struct Planted {
  const char* name;
  void (*kernel)(Tensors&);
  const char* told;  ///< a part of the text
};

#define KERNEL(name, told) \
  Planted {                \
#name, name, told      \
  }
constexpr std::array<Planted, 30> all_planted{
    KERNEL(load_unawaited, "unordered"),
    KERNEL(store_before_its_result, "unordered"),
    KERNEL(second_load_unawaited, "unordered"),
    KERNEL(buffer_loaded_while_it_is_read, "unordered"),
    KERNEL(result_computed_while_it_is_stored, "unordered"),
    KERNEL(flag_the_wrong_way_round, "unordered"),
    KERNEL(wait_for_another_event, "waits for ever"),
    KERNEL(cube_before_its_operands, "unordered"),
    KERNEL(scalar_before_the_vector, "unordered"),
    KERNEL(tensor_loaded_while_it_is_stored, "unordered"),
    KERNEL(tile_beyond_its_buffer, "leaves UB"),
    KERNEL(load_beyond_the_tensor, "beyond the tensor of argument 0"),
    KERNEL(store_beyond_the_tensor, "beyond the tensor of argument 2"),
    KERNEL(strides_beyond_the_tensor, "beyond the tensor of argument 0"),
    KERNEL(cube_tile_beyond_its_buffer, "leaves L0C"),
    KERNEL(operand_never_loaded, "nobody has written"),
    KERNEL(stored_before_it_is_written, "nobody has written"),
    KERNEL(padding_never_filled, "nobody has written"),
    KERNEL(sums_never_begun, "nobody has written"),
    KERNEL(maxima_of_too_few_rows, "nobody has written"),
    KERNEL(nothing_is_valid, "no valid element"),
    KERNEL(valid_beyond_the_tile, "valid beyond its shape"),
    KERNEL(valid_beyond_the_view, "valid beyond"),
    KERNEL(operands_valid_in_other_places, "must be valid 16x64"),
    KERNEL(matrices_that_do_not_meet, "must be valid"),
    KERNEL(second_tile_over_the_first, "has overwritten"),
    KERNEL(result_over_an_operand_used_again, "has overwritten"),
    KERNEL(maxima_in_the_tile, "has overwritten"),
    KERNEL(narrow_copy_over_the_wide_tile, "has overwritten"),
    KERNEL(left_operands_in_one_place, "has overwritten"),
};
#undef KERNEL

/// What the kernel is told with its mistake, or without.
std::string told(const Planted& planted, bool with_mistake) {
  // Each tensor ends where the next one does not begin.
  static std::array<std::array<float, 2 * rows * cols>, 3> memory;
  struct Call {
    std::array<PTOTensor, 3> tensors;
    PTOCall call;
    std::array<int64_t, 3> args;
  } call{};
  static_assert(offsetof(Call, call) == 3 * sizeof(PTOTensor));
  for (std::size_t i = 0; i < 3; ++i) {
    memory[i].fill(1.0F);
    PTOTensor& tensor = call.tensors[2 - i];
    tensor = {.address = reinterpret_cast<uint64_t>(memory[i].data()),
              .shape = {rows, cols, 1, 1, 1},
              .strides = {cols, 1, 0, 0, 0},
              .dtype = DataType::FLOAT32,
              .ndims = 2};
    call.args[i] = reinterpret_cast<int64_t>(&tensor);
  }
  call.call.params = 3;
  wrong = with_mistake;
  told_line = 0;
  detail::begin_call(call.args.data());
  Tensors tensors{Global(memory[0].data()), Global(memory[1].data()), Global(memory[2].data())};
  try {
    planted.kernel(tensors);
  } catch (const std::exception& finding) {
    return finding.what();
  }
  return "";
}

class PlantedMistake : public testing::TestWithParam<Planted> {};

TEST_P(PlantedMistake, IsToldAtItsLine) {
  const std::string text = told(GetParam(), true);
  const std::string place = "planted_mistakes_test.cpp:" + std::to_string(told_line) + ":";
  EXPECT_THAT(text, testing::HasSubstr(place));
  EXPECT_THAT(text, testing::HasSubstr(GetParam().told));
  EXPECT_LT(text.size(), 240U) << text;
}

TEST_P(PlantedMistake, WithoutItNothingIsTold) {
  EXPECT_EQ(told(GetParam(), false), "");
}

INSTANTIATE_TEST_SUITE_P(Thirty, PlantedMistake, testing::ValuesIn(all_planted),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
