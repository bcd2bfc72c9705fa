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

void no_address(Global& global, bool wrong) {
  Matrix tile;
  if (!wrong) TASSIGN(tile, 0);
  TLOAD(tile, global);
}
void leaves_buffer(bool wrong) {
  Matrix tile;
  TASSIGN(tile, 192 * 1024 - (wrong ? 992 : 1024));
}
void unaligned(bool wrong) {
  Matrix tile;
  TASSIGN(tile, wrong ? 16 : 32);
}
void nothing_valid(Global& global, bool wrong) {
  Part tile(16, wrong ? 0 : 16);
  TASSIGN(tile, 0);
  TLOAD(tile, global);
}
void valid_beyond_tile(bool wrong) {
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
void operands_differ(bool wrong) {
  Part a(16, 16), b(16, wrong ? 8 : 16);
  TASSIGN(a, 0);
  TASSIGN(b, 1024);
  TEXPANDS(a, 1);
  TEXPANDS(b, 1);
  TADD(a, a, b);
}
void rows_differ(bool wrong) {
  Matrix full;
  Column column(wrong ? 15 : 16);
  TASSIGN(full, 0);
  TASSIGN(column, 1024);
  TEXPANDS(full, 1);
  TEXPANDS(column, 1);
  TROWEXPANDMUL(full, full, column);
}
void products_differ(bool wrong) {
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
void moves_more(bool wrong) {
  Part a(16, 16), b(wrong ? 15 : 16, 16);
  TASSIGN(a, 0);
  TASSIGN(b, 1024);
  TEXPANDS(b, 1);
  TMOV(a, b);
}
void loads_unordered(Global& global, bool wrong) {
  Matrix tile;
  TASSIGN(tile, 0);
  TLOAD(tile, global);
  if (!wrong) {
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  }
  TEXP(tile, tile);
}
void stores_unordered(Global& global, bool wrong) {
  Matrix tile;
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1);
  pipe_barrier(wrong ? PIPE_V : PIPE_ALL);
  TSTORE(global, tile);
}
void reloads_unordered(Global& global, bool wrong) {
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
void sets_unordered(bool wrong) {
  Matrix tile;
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1);
  if (!wrong) {
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
  }
  tile.SetValue(5, 2);
}
void waits_for_ever(bool wrong) {
  if (!wrong) set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
}
void reads_unwritten(bool wrong) {
  Part a(16, wrong ? 8 : 16), b(16, 16);
  TASSIGN(a, 0);
  TASSIGN(b, 1024);
  TEXPANDS(a, 1);
  a.SetValidShape(16, 16);
  TEXP(b, a);
}
void reads_overwritten(bool wrong) {
  Matrix a;
  Column column(16);
  TASSIGN(a, 0);
  TASSIGN(column, wrong ? 992 : 1024);
  TEXPANDS(a, 1);
  TEXPANDS(column, 2);
  TEXP(a, a);
}
void element_outside(bool wrong) {
  Matrix tile;
  TASSIGN(tile, 0);
  tile.SetValue(wrong ? 256 : 255, 1);
}

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  const int64_t tensor = args[1];
  const bool wrong = args[2] != 0;
  Global global(data_of(tensor), {16, 16});
  switch (args[0]) {
    case 0:
      return no_address(global, wrong);
    case 1:
      return leaves_buffer(wrong);
    case 2:
      return unaligned(wrong);
    case 3:
      return nothing_valid(global, wrong);
    case 4:
      return valid_beyond_tile(wrong);
    case 5:
      return valid_beyond_view(tensor, wrong);
    case 6:
      return loads_beyond_tensor(tensor, wrong);
    case 7:
      return stores_beyond_tensor(tensor, wrong);
    case 8:
      return operands_differ(wrong);
    case 9:
      return rows_differ(wrong);
    case 10:
      return products_differ(wrong);
    case 11:
      return moves_more(wrong);
    case 12:
      return element_outside(wrong);
    case 13:
      return loads_unordered(global, wrong);
    case 14:
      return stores_unordered(global, wrong);
    case 15:
      return reloads_unordered(global, wrong);
    case 16:
      return sets_unordered(wrong);
    case 17:
      return waits_for_ever(wrong);
    case 18:
      return reads_unwritten(wrong);
    case 19:
      return reads_overwritten(wrong);
  }
}
