#include <algorithm>
#include <cmath>

#include "runtime/include/pto_kernel_api.h"
#include "runtime/workloads/tile_math/simd.hpp"

using namespace pto2::workloads;

/// b = sqrt(log a), element by element, in fp16.
extern "C" void kernel_entry(int64_t* args) {
  using Four = Simd<4>;
  const PTOTensor& a = pto_tensor(args, 0);
  const PTOTensor& b = pto_tensor(args, 1);
  const size_t elements = size_t{a.shape[0]} * a.shape[1];
  for (size_t i = 0; i < elements; i += 4) {
    const size_t count = std::min(elements - i, size_t{4});
    Four::Float x = Four::widen<HalfFormat::float16>(
        Four::load_first<Four::Half>(a.data<uint16_t>() + i, count));
    for (size_t j = 0; j < count; ++j) x[j] = std::sqrt(std::log(x[j]));
    Four::store_first(b.data<uint16_t>() + i, Four::narrow<HalfFormat::float16>(x), count);
  }
}
