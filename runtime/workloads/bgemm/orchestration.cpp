/// Batched C += A x B over a grid of 4 x 4 x 4 tiles of 64 x 64, which are each without gaps in
/// memory. Each tile of C has a scope, in which a product on a cube core and an addition on a
/// vector core take turns.
#include "runtime/include/pto_orchestration_api.h"

#include <iterator>

#include "runtime/workloads/dense/argument_bytes.hpp"

namespace {

enum Kernel : int32_t { func_gemm = 0, func_add = 1 };

constexpr uint64_t side = 64;
constexpr uint64_t grid = 4;
constexpr uint64_t batch_bytes = grid * grid * side * side * sizeof(float);
constexpr uint64_t tile_shape[] = {side, side};

/// Tile (row, column) of matrix b.
Tensor tile_of(Tensor tiles, uint64_t b, uint64_t row, uint64_t column) {
  const uint64_t one[] = {1, 1, 1, side, side};
  const uint64_t offsets[] = {b, row, column, 0, 0};
  return tiles.view(one, offsets);
}

void add_product(PTO2Runtime* rt, Tensor a, Tensor b, Tensor c) {
  Tensor p = make_tensor(tile_shape, 2);
  const PTOParam gemm[] = {make_input_param(a), make_input_param(b), make_output_param(p)};
  pto2_rt_submit_task(rt, func_gemm, PTO2_WORKER_CUBE, gemm, std::size(gemm));
  const PTOParam add[] = {make_input_param(p), make_inout_param(c)};
  pto2_rt_submit_task(rt, func_add, PTO2_WORKER_VECTOR, add, std::size(add));
}

void build(PTO2Runtime* rt, Tensor a, Tensor b, Tensor c, uint64_t batch) {
  for (uint64_t i = 0; i < batch; ++i) {
    for (uint64_t m = 0; m < grid; ++m) {
      for (uint64_t n = 0; n < grid; ++n) {
        PTO2_SCOPE(rt) {
          Tensor sum = tile_of(c, i, m, n);
          for (uint64_t k = 0; k < grid; ++k) {
            add_product(rt, tile_of(a, i, m, k), tile_of(b, i, k, n), sum);
          }
        }
      }
    }
  }
}

}  // namespace

/// A, B, C, size_A, size_B, size_C (bytes). The sizes tell the batch.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 6};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t batch = args[3] / batch_bytes;
  if (batch == 0 || args[3] % batch_bytes != 0) {
    LOG_ERROR(rt, "bgemm: A is %llu bytes, no multiple of %llu",
              static_cast<unsigned long long>(args[3]),
              static_cast<unsigned long long>(batch_bytes));
    return;
  }
  if (!pto2::workloads::have_bytes(rt, "bgemm", args, 4, 2, args[3])) return;
  const uint64_t shape[] = {batch, grid, grid, side, side};
  build(rt, make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 5),
        make_tensor_external(reinterpret_cast<void*>(args[1]), shape, 5),
        make_tensor_external(reinterpret_cast<void*>(args[2]), shape, 5), batch);
  pto2_rt_orchestration_done(rt);
}
