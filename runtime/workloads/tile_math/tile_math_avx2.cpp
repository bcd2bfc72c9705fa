#include "runtime/workloads/tile_math/tile_math_impl.hpp"

namespace pto2::workloads {

const TileMath tile_math_avx2 = TileMathImpl<8, 4, 4>::table("avx2");

}  // namespace pto2::workloads
