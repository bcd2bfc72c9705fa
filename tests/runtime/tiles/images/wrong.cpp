// Kernels that are wrong in one way each, and right if their last argument is 0: which one is
// argument 0, the tensors are 16 x 16 floats.
#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

namespace {

using Matrix = Tile<TileType::Vec, float, 16, 16>;
using Part = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, -1, -1>;
using Column = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, -1, 1>;
using Global = GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, 16, 1>>;

float* data_of(int64_t tensor) {
  return reinterpret_cast<float*>(reinterpret_cast<TensorData*>(tensor)->buffer.addr);
}

void no_address(int64_t tensor, bool wrong) {
  Global global(data_of(tensor), {16, 16});
  Matrix tile;
  if (!wrong) TASSIGN(tile, 0);
  TLOAD(tile, global);
}
void leaves_buffer(int64_t, bool wrong) {
  Matrix tile;
  TASSIGN(tile, 192 * 1024 - (wrong ? 992 : 1024));
}
void unaligned(int64_t, bool wrong) {
  Matrix tile;
  TASSIGN(tile, wrong ? 16 : 32);
}
void nothing_valid(int64_t tensor, bool wrong) {
  Global global(data_of(tensor), {16, 16});
  Part tile(16, wrong ? 0 : 16);
  TASSIGN(tile, 0);
  TLOAD(tile, global);
}
void valid_beyond_tile(int64_t, bool wrong) {
  Part tile(wrong ? 17 : 16, 16);
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1);
}
void valid_beyond_view(int64_t tensor, bool wrong) {
  Global global(data_of(tensor), {8, 16});
  Part tile(wrong ? 9 : 8, 16);
  TASSIGN(tile, 0);
  TLOAD(tile, global);
}
void loads_beyond_tensor(int64_t tensor, bool wrong) {
  Global global(data_of(tensor) + (wrong ? 16 : 0), {16, 16});
  Matrix tile;
  TASSIGN(tile, 0);
  TLOAD(tile, global);
}
void stores_beyond_tensor(int64_t tensor, bool wrong) {
  Global global(data_of(tensor) + 16, {16, 16});
  Part tile(wrong ? 16 : 15, 16);
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1);
  pipe_barrier(PIPE_ALL);
  TSTORE(global, tile);
}
void operand_too_small(int64_t, bool wrong) {
  Part a(wrong ? 9 : 8, 16);
  Tile<TileType::Vec, float, 8, 16> b;
  TASSIGN(a, 0);
  TASSIGN(b, 1024);
  TEXPANDS(a, 1);
  TEXPANDS(b, 1);
  TADD(a, a, b);
}
void operands_differ(int64_t, bool wrong) {
  Part a(16, 16), b(16, wrong ? 8 : 16);
  TASSIGN(a, 0);
  TASSIGN(b, 1024);
  TEXPANDS(a, 1);
  TEXPANDS(b, 1);
  TADD(a, a, b);
}
void rows_differ(int64_t, bool wrong) {
  Matrix full;
  Column column(wrong ? 15 : 16);
  TASSIGN(full, 0);
  TASSIGN(column, 1024);
  TEXPANDS(full, 1);
  TEXPANDS(column, 1);
  TROWEXPANDMUL(full, full, column);
}
void products_differ(int64_t, bool wrong) {
  TileLeft<float, 16, 16, 16, -1> a(16, wrong ? 8 : 16);
  TileRight<float, 16, 16> b;
  TileAcc<float, 16, 16> c;
  Tile<TileType::Mat, float, 16, 16> mat;
  TASSIGN(a, 0);
  TASSIGN(b, 0);
  TASSIGN(c, 0);
  TASSIGN(mat, 0);
  TEXPANDS(mat, 1);
  pipe_barrier(PIPE_ALL);
  TMOV(a, mat);
  TMOV(b, mat);
  pipe_barrier(PIPE_ALL);
  TMATMUL(c, a, b);
}
void moves_more(int64_t, bool wrong) {
  Part a(16, 16), b(wrong ? 15 : 16, 16);
  TASSIGN(a, 0);
  TASSIGN(b, 1024);
  TEXPANDS(b, 1);
  TMOV(a, b);
}
void loads_unordered(int64_t tensor, bool wrong) {
  Global global(data_of(tensor), {16, 16});
  Matrix tile;
  TASSIGN(tile, 0);
  TLOAD(tile, global);
  if (!wrong) {
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  }
  TEXP(tile, tile);
}
void stores_unordered(int64_t tensor, bool wrong) {
  Global global(data_of(tensor), {16, 16});
  Matrix tile;
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1);
  pipe_barrier(wrong ? PIPE_V : PIPE_ALL);
  TSTORE(global, tile);
}
void reloads_unordered(int64_t tensor, bool wrong) {
  Global global(data_of(tensor), {16, 16});
  Matrix tile, again;
  TASSIGN(tile, 0);
  TASSIGN(again, 1024);
  TEXPANDS(tile, 1);
  pipe_barrier(PIPE_ALL);
  TSTORE(global, tile);
  if (!wrong) {
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
  }
  TLOAD(again, global);
}
void sets_unordered(int64_t, bool wrong) {
  Matrix tile;
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1);
  if (!wrong) {
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
  }
  tile.SetValue(5, 2);
}
void waits_for_ever(int64_t, bool wrong) {
  if (!wrong) set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
}
void reads_unwritten(int64_t, bool wrong) {
  Part a(16, wrong ? 8 : 16), b(16, 16);
  TASSIGN(a, 0);
  TASSIGN(b, 1024);
  TEXPANDS(a, 1);
  a.SetValidShape(16, 16);
  TEXP(b, a);
}
void reads_overwritten(int64_t, bool wrong) {
  Matrix a;
  Column column(16);
  TASSIGN(a, 0);
  TASSIGN(column, wrong ? 992 : 1024);
  TEXPANDS(a, 1);
  TEXPANDS(column, 2);
  TEXP(a, a);
}
void uses_unordered(int64_t, bool wrong) {
  Matrix tile;
  TASSIGN(tile, 0);
  for (int k = 0; k < 256; ++k) tile.SetValue(k, 1);
  if (!wrong) dsb(DSB_UB);
  TEXP(tile, tile);
}
void extracts_outside(int64_t, bool wrong) {
  Tile<TileType::Mat, float, 16, 32> mat;
  TileLeft<float, 16, 16> part;
  TASSIGN(mat, 0);
  TASSIGN(part, 0);
  TEXPANDS(mat, 1);
  pipe_barrier(PIPE_ALL);
  TEXTRACT(part, mat, 0, wrong ? 17 : 16);
}
void gathers_outside(int64_t, bool wrong) {
  Matrix tile;
  Tile<TileType::Vec, int32_t, 16, 16> index;
  TASSIGN(tile, 0);
  TASSIGN(index, 1024);
  TEXPANDS(tile, 1);
  TEXPANDS(index, wrong ? 256 : 255);
  TGATHER(tile, tile, index, index);
}
void element_outside(int64_t, bool wrong) {
  Matrix tile;
  TASSIGN(tile, 0);
  tile.SetValue(wrong ? 256 : 255, 1);
}

void (*const kernels[])(int64_t tensor, bool wrong) = {
    no_address,        leaves_buffer,     unaligned,           nothing_valid,
    valid_beyond_tile, valid_beyond_view, loads_beyond_tensor, stores_beyond_tensor,
    products_differ,   operand_too_small, element_outside,     extracts_outside,
    gathers_outside,   operands_differ,   rows_differ,         moves_more,
    loads_unordered,   stores_unordered,  reloads_unordered,   sets_unordered,
    waits_for_ever,    reads_unwritten,   reads_overwritten,   uses_unordered};

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  kernels[args[0]](args[1], args[2] != 0);
}
