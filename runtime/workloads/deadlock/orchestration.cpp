/// Graphs that need much of one resource at a time, because one scope holds all of their tasks.
#include "runtime/include/pto_orchestration_api.h"

#include <bit>
#include <iterator>

namespace {

enum Kernel : int32_t { func_add_scalar = 0 };

constexpr int32_t any_cluster = -1;

/// x, y, size_x, size_y (bytes), number of parts, elements of a part.
struct Arguments {
  Tensor x;  ///< all parts
  Tensor y;
  uint64_t parts;
  uint64_t elements;

  static bool fit(PTO2Runtime* rt, const uint64_t* args) {
    const uint64_t bytes = args[4] * args[5] * sizeof(float);
    if (args[2] == bytes && args[3] == bytes) return true;
    LOG_ERROR(rt, "deadlock: x is %llu bytes and y %llu, but both must be %llu",
              static_cast<unsigned long long>(args[2]), static_cast<unsigned long long>(args[3]),
              static_cast<unsigned long long>(bytes));
    return false;
  }
  explicit Arguments(const uint64_t* args) : parts(args[4]), elements(args[5]) {
    const uint64_t shape[] = {parts * elements};
    x = make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 1);
    y = make_tensor_external(reinterpret_cast<void*>(args[1]), shape, 1);
  }
  Tensor part(Tensor of, uint64_t i) const {
    const uint64_t shape[] = {elements};
    const uint64_t offset[] = {i * elements};
    return of.view(shape, offset);
  }
  /// A buffer as large as a part.
  Tensor buffer() const {
    const uint64_t shape[] = {elements};
    return make_tensor(shape, 1);
  }
};

void add_scalar(PTO2Runtime* rt, Tensor x, float scalar, Tensor sum,
                int32_t cluster = any_cluster) {
  const PTOParam params[] = {make_input_param(x), make_output_param(sum),
                             make_scalar_param(std::bit_cast<uint32_t>(scalar))};
  pto2_rt_submit_task_clustered(rt, func_add_scalar, PTO2_WORKER_VECTOR, params, std::size(params),
                                cluster);
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 6};
}

/// A task per part, which writes that of y: slots of the task ring, entries of the TensorMap.
extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  if (!Arguments::fit(rt, args)) return;
  const Arguments all(args);
  PTO2_SCOPE(rt) {
    for (uint64_t i = 0; i < all.parts; ++i) {
      add_scalar(rt, all.part(all.x, i), 1.0f, all.part(all.y, i));
    }
  }
}

/// Two tasks per part, with a buffer between them: bytes of the heap.
extern "C" void aicpu_orchestration_entry_buffers(PTO2Runtime* rt, uint64_t* args, int) {
  if (!Arguments::fit(rt, args)) return;
  const Arguments all(args);
  PTO2_SCOPE(rt) {
    for (uint64_t i = 0; i < all.parts; ++i) {
      Tensor between = all.buffer();
      add_scalar(rt, all.part(all.x, i), 1.0f, between);
      add_scalar(rt, between, 1.0f, all.part(all.y, i));
    }
  }
}

/// A group of its own per part, on a cluster that is held until the scope ends: clusters.
extern "C" void aicpu_orchestration_entry_groups(PTO2Runtime* rt, uint64_t* args, int) {
  if (!Arguments::fit(rt, args)) return;
  const Arguments all(args);
  PTO2_SCOPE(rt) {
    for (uint64_t i = 0; i < all.parts; ++i) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      add_scalar(rt, all.part(all.x, i), 1.0f, all.part(all.y, i), cluster);
    }
  }
}

/// One task that makes a buffer of the first part of x, and a reader of it per part of y, which
/// adds the part's number: dependency nodes.
extern "C" void aicpu_orchestration_entry_readers(PTO2Runtime* rt, uint64_t* args, int) {
  if (!Arguments::fit(rt, args)) return;
  const Arguments all(args);
  PTO2_SCOPE(rt) {
    Tensor shared = all.buffer();
    add_scalar(rt, all.part(all.x, 0), 1.0f, shared);
    for (uint64_t i = 0; i < all.parts; ++i) {
      add_scalar(rt, shared, static_cast<float>(i), all.part(all.y, i));
    }
  }
}
