#include "runtime/workloads/tile_math/tile_math.hpp"

#include <initializer_list>

namespace pto2::workloads {

bool is_supported(const TileMath& math) {
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (&math == &tile_math_avx512bf16) return avx512 && __builtin_cpu_supports("avx512bf16");
  if (&math == &tile_math_avx512) return avx512;
  if (&math == &tile_math_avx2) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c");
  }
  return true;
}

namespace {

const TileMath& choose() {
  __builtin_cpu_init();  // other initialisation may not have come to it
  for (const TileMath* math : {&tile_math_avx512bf16, &tile_math_avx512, &tile_math_avx2}) {
    if (is_supported(*math)) return *math;
  }
  return tile_math_baseline;
}

/// Chosen when the image is loaded: valgrind cannot follow how the first of several threads would
/// initialise it.
const TileMath& chosen = choose();

}  // namespace

const TileMath& tile_math() {
  return chosen;
}

}  // namespace pto2::workloads
