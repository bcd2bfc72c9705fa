#include "runtime/workloads/tile_math/tile_math_impl.hpp"

namespace pto2::workloads {

const TileMath tile_math_avx512 = TileMathImpl<16, 16, 8>::table("avx512");

}  // namespace pto2::workloads
