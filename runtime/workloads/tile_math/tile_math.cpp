#include "runtime/workloads/tile_math/tile_math.hpp"

#include <initializer_list>

namespace pto2::workloads {

bool is_supported(const TileMath& math) {
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (&math == &tile_math_avx512bf16) return avx512 && __builtin_cpu_supports("avx512bf16");
  if (&math == &tile_math_avx512) return avx512;
  if (&math == &tile_math_avx2) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }
  return true;
}

const TileMath& tile_math() {
  static const TileMath& chosen = [&]() -> const TileMath& {
    for (const TileMath* math : {&tile_math_avx512bf16, &tile_math_avx512, &tile_math_avx2}) {
      if (is_supported(*math)) return *math;
    }
    return tile_math_baseline;
  }();
  return chosen;
}

}  // namespace pto2::workloads
