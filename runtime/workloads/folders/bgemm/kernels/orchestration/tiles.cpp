/// A scope for each tile of c. For each k a cube core multiplies two tiles, and a vector core adds
/// the product to the tile of c, which all steps have as INOUT, so that they come one by one.
#include <cstdint>
#include <iterator>

#include "pto_orchestration_api.h"

namespace {

enum Kernel { GEMM, ACCUMULATE };
enum Argument { ARG_A, ARG_B, ARG_C, ARG_BATCH, ARG_M, ARG_K, ARG_N, ARG_COUNT };
constexpr uint64_t side = 64;  // of a tile

/// batch x rows x cols tiles.
struct Grid {
  Grid(uint64_t address, uint64_t batch, uint64_t rows, uint64_t cols) : rows_(rows), cols_(cols) {
    const uint64_t shape[] = {batch * rows * cols, side, side};
    tiles_ = make_tensor_external(reinterpret_cast<void*>(address), shape, 3);
  }
  Tensor tile(uint64_t b, uint64_t row, uint64_t col) const {
    const uint64_t shape[] = {1, side, side};
    const uint64_t first[] = {(b * rows_ + row) * cols_ + col, 0, 0};
    return tiles_.view(shape, first);
  }

 private:
  uint64_t rows_, cols_;
  Tensor tiles_;
};

void add_product(PTO2Runtime* rt, const Tensor& a, const Tensor& b, const Tensor& c) {
  const uint64_t shape[] = {side, side};
  const Tensor product = make_tensor(shape, 2);
  const PTOParam gemm[] = {make_input_param(a), make_input_param(b), make_output_param(product)};
  pto2_rt_submit_task(rt, GEMM, PTO2_WORKER_CUBE, gemm, std::size(gemm));
  const PTOParam add[] = {make_input_param(product), make_inout_param(c)};
  pto2_rt_submit_task(rt, ACCUMULATE, PTO2_WORKER_VECTOR, add, std::size(add));
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {ARG_COUNT};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t batch = args[ARG_BATCH], m = args[ARG_M], k = args[ARG_K], n = args[ARG_N];
  const Grid a(args[ARG_A], batch, m, k), b(args[ARG_B], batch, k, n), c(args[ARG_C], batch, m, n);
  for (uint64_t i = 0; i < batch; ++i) {
    for (uint64_t row = 0; row < m; ++row) {
      for (uint64_t col = 0; col < n; ++col) {
        PTO2_SCOPE(rt) {
          const Tensor sum = c.tile(i, row, col);
          for (uint64_t step = 0; step < k; ++step) {
            add_product(rt, a.tile(i, row, step), b.tile(i, step, col), sum);
          }
        }
      }
    }
  }
}
