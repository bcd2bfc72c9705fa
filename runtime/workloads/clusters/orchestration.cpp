/// Per block of a batch a group on a cluster of its own: C = max(0, C + the sum of A[k] x B[k]) for
/// tiles of 64 x 64. A cube core multiplies; a vector core adds and rectifies. The products go from
/// one to the other through tensors or through a pipe.
#include "runtime/include/pto_orchestration_api.h"

#include "runtime/workloads/dense/argument_bytes.hpp"

namespace {

enum Kernel : int32_t {
  func_gemm = 0,
  func_add = 1,
  func_rectify = 2,
  func_gemm_push = 3,
  func_add_popped = 4,
};

constexpr uint64_t side = 64;
constexpr uint64_t steps = 4;
constexpr uint64_t tile_bytes = side * side * sizeof(float);
constexpr uint64_t block_bytes = steps * tile_bytes;
constexpr uint64_t tile_shape[] = {side, side};
constexpr int32_t products = 0;  // the tag of the pipe

Tensor tile_of(Tensor tiles, uint64_t block, uint64_t step) {
  const uint64_t one[] = {1, 1, side, side};
  const uint64_t offsets[] = {block, step, 0, 0};
  return tiles.view(one, offsets);
}

/// The tasks of one group.
struct Group {
  PTO2Runtime* rt;
  int32_t cluster;
  Tensor c;

  template <size_t N>
  void submit(int32_t kernel, int32_t worker_type, const PTOParam (&params)[N]) const {
    pto2_rt_submit_task_clustered(rt, kernel, worker_type, params, N, cluster);
  }

  /// Each product is a tensor of its own.
  void through_tensors(Tensor a, Tensor b, uint64_t block) const {
    Tensor product[steps];
    for (uint64_t k = 0; k < steps; ++k) {
      product[k] = make_tensor(tile_shape, 2);
      submit(func_gemm, PTO2_WORKER_CUBE,
             {make_input_param(tile_of(a, block, k)), make_input_param(tile_of(b, block, k)),
              make_output_param(product[k])});
    }
    for (const Tensor& p : product) {
      submit(func_add, PTO2_WORKER_VECTOR, {make_input_param(p), make_inout_param(c)});
    }
  }

  /// The pipe holds all products of the block, and takes nothing of the heap.
  void through_a_pipe(Tensor a, Tensor b, uint64_t block) const {
    for (uint64_t k = 0; k < steps; ++k) {
      submit(func_gemm_push, PTO2_WORKER_CUBE,
             {make_input_param(tile_of(a, block, k)), make_input_param(tile_of(b, block, k)),
              make_pipe_out_param(products, steps, tile_bytes)});
    }
    for (uint64_t k = 0; k < steps; ++k) {
      submit(func_add_popped, PTO2_WORKER_VECTOR,
             {make_pipe_in_param(products), make_inout_param(c)});
    }
  }

  void rectify() const { submit(func_rectify, PTO2_WORKER_VECTOR, {make_inout_param(c)}); }
};

void build(PTO2Runtime* rt, const uint64_t* args, uint64_t batch) {
  const uint64_t shape[] = {batch, steps, side, side};
  const uint64_t sums[] = {batch, 1, side, side};
  Tensor a = make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 4);
  Tensor b = make_tensor_external(reinterpret_cast<void*>(args[1]), shape, 4);
  Tensor c = make_tensor_external(reinterpret_cast<void*>(args[2]), sums, 4);
  for (uint64_t block = 0; block < batch; ++block) {
    PTO2_SCOPE(rt) {
      const Group group{rt, pto2_rt_allocate_cluster(rt), tile_of(c, block, 0)};
      if (args[6] != 0) {
        group.through_a_pipe(a, b, block);
      } else {
        group.through_tensors(a, b, block);
      }
      group.rectify();
      pto2_rt_free_cluster(rt, group.cluster);
    }
  }
}

}  // namespace

/// A, B, C, size_A, size_B, size_C (bytes), and 1 for a pipe or 0 for tensors. The sizes tell the
/// number of blocks.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 7};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t batch = args[3] / block_bytes;
  if (batch == 0 || args[3] % block_bytes != 0) {
    LOG_ERROR(rt, "clusters: A is %llu bytes, no multiple of %llu",
              static_cast<unsigned long long>(args[3]),
              static_cast<unsigned long long>(block_bytes));
    return;
  }
  if (!pto2::workloads::have_bytes(rt, "clusters", args, 4, 1, args[3])) return;
  if (!pto2::workloads::have_bytes(rt, "clusters", args, 5, 1, batch * tile_bytes)) return;
  build(rt, args, batch);
  pto2_rt_orchestration_done(rt);
}
