#include "runtime/workloads/tile_math/tile_math.hpp"

namespace pto2::workloads {

bool is_supported(const TileMath& math) {
  if (&math == &tile_math_avx512) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
  if (&math == &tile_math_avx2) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }
  return true;
}

const TileMath& tile_math() {
  static const TileMath& chosen = is_supported(tile_math_avx512) ? tile_math_avx512
                                  : is_supported(tile_math_avx2) ? tile_math_avx2
                                                                 : tile_math_baseline;
  return chosen;
}

}  // namespace pto2::workloads
