// Instructions whose loops are to be vector instructions.
#include <pto/pto-inst.hpp>

using namespace pto;

using Floats = Tile<TileType::Vec, float, 16, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using Integers = Tile<TileType::Vec, int32_t, 16, 256, BLayout::RowMajor, DYNAMIC, DYNAMIC>;

#if defined CONVERSION
void run(Integers& to, Floats& from) {
  TCVT(to, from, RoundMode::CAST_RINT);
}
#elif defined ROOT
void run(Floats& to, Floats& from) {
  TSQRT(to, from);
}
#elif defined RECIPROCAL
void run(Floats& to, Floats& from) {
  TRSQRT(to, from);
}
#endif
