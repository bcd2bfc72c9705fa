#include "runtime/workloads/tile_math/tile_math_impl.hpp"

namespace pto2::workloads {

const TileMath tile_math_baseline = TileMathImpl<4, 4, 4>::table("baseline");

}  // namespace pto2::workloads
