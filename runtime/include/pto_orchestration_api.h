/// What an orchestration sees. An orchestration is a shared object that exports
///
///     extern "C" {
///     PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t* args, int arg_count);
///     void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int arg_count);
///     }
///
/// (the entry may return anything; what it returns is ignored). It links to nothing: every call
/// below goes through the table of functions that PTO2Runtime points to. The entry runs once per
/// launch, on one logical thread, inside an outer scope.
///
/// Errors do not unwind the orchestration: the first one latches in the runtime, and the launch
/// reports it when the entry has returned. Behind a call that has failed every other does nothing,
/// but for LOG_..., of which the first thousand lines are still written; and behind one that has
/// failed for want of room (a deadlock), where calls count what the graph needs. A call some time
/// after a kernel has failed or the run was interrupted does nothing, either: a second, in a
/// simulation the deadline of kernels; until then calls may be served.
///
/// Every call comes from the thread that the entry runs on, and before the entry returns. Another
/// thread's, or a kernel's, does nothing, and the run ends with wrong_thread. So does a call in the
/// configuration, and the entry is not called then; one after the end of the run ends the process
/// with a message. Between two calls an orchestration may take as long as a kernel may.
///
/// With the packed executor, the default, an orchestration may come out of a call on another OS
/// thread than it went in on. So what is thread_local, a locale and a lock that is held are of no
/// use to it beyond a call.
///
/// C++17 is enough. Sources count on this header for <algorithm> and <string>.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "pto_types.h"

/// Version of the table of functions and of the structures below. A table serves images of its own
/// version and of all before it: functions are added at its end, and none is changed or removed.
/// Version 2 added `describe`, clusters, block tasks and pipes; version 3 added `fail`.
constexpr uint32_t PTO2_ORCHESTRATION_ABI = 3;

/// What a task runs on.
enum PTO2WorkerType : int32_t {
  PTO2_WORKER_CUBE = 0,
  PTO2_WORKER_VECTOR = 1,
  /// A scheduler's own thread. Must be short: the cores of that scheduler wait meanwhile.
  PTO2_WORKER_AI_CPU = 2,
  /// A device beside the blocks. Refused on a chip without one.
  PTO2_WORKER_ACCELERATOR = 3,
};

struct PTO2OrchestrationConfig {
  int expected_arg_count;  ///< the launch is refused when it has another number of arguments
};

enum PTO2LogLevel : int32_t {
  PTO2_LOG_ALWAYS = -1,  ///< shown whatever level was asked for
  PTO2_LOG_ERROR = 0,
  PTO2_LOG_WARN = 1,
  PTO2_LOG_INFO = 2,
  PTO2_LOG_DEBUG = 3,
};

struct PTO2Runtime;

/// Handle of a tensor: copies share the tensor. It is valid until the scope that made it ends.
/// Every member function can be used once the tensor has an address: at once for an external
/// tensor, after the submission of the task that outputs it for one from make_tensor().
struct Tensor {
  uint64_t id = 0;  ///< 0: no tensor

  /// The box of `shapes` elements at `offsets` of this tensor, sharing its buffer.
  template <class S, class O>
  Tensor view(const S* shapes, const O* offsets) const;
  /// The same elements under another shape; the tensor must be contiguous, the count equal.
  template <class S>
  Tensor reshape(const S* shapes, uint32_t ndims) const;
  /// Dimensions x and y exchanged.
  Tensor transpose(uint32_t x, uint32_t y) const;
  /// Number of elements.
  uint64_t numel() const;
  /// True when the elements lie in row-major order without gaps.
  bool is_contiguous() const;
  /// Type, shape, strides and address in one line. It is returned and not logged: write
  /// LOG_INFO(rt, "%s", t.dump().c_str()), which then shows it once. A call whose result is dropped
  /// compiles, and shows nothing. Empty after an error.
  std::string dump() const;
};

enum class PTOParamType : int32_t {
  INPUT = 0,
  OUTPUT = 1,
  INOUT = 2,
  SCALAR = 3,
  PIPE_OUT = 4,  ///< since version 2
  PIPE_IN = 5,   ///< since version 2
};

/// One parameter of a task.
struct PTOParam {
  PTOParamType type;
  Tensor tensor;    ///< unused for a scalar; for a pipe its tag, see make_pipe_out_param()
  uint64_t scalar;  ///< unused for a tensor; for a pipe its sizes
};

/// Sizes of a pipe whose parameters do not say any.
constexpr uint32_t PTO2_PIPE_CAPACITY = 8;
constexpr uint32_t PTO2_PIPE_SLOT_BYTES = 16384;
/// Set in the id of a pipe parameter that says sizes, above the 32 bits of the tag.
constexpr uint64_t PTO2_PIPE_SIZED = uint64_t{1} << 32;

/// For the address of an external tensor that is null: as 0, but errors say what was meant.
constexpr uint64_t PTO2_NULL_EXTERNAL = ~uint64_t{0};

/// The functions of the runtime. Shapes and offsets have ndims entries, in elements.
struct PTO2RuntimeOps {
  uint32_t abi;
  void (*submit_task)(PTO2Runtime* rt, int32_t kernel_id, int32_t worker_type,
                      const PTOParam* params, uint32_t count);
  void (*scope_begin)(PTO2Runtime* rt);
  void (*scope_end)(PTO2Runtime* rt);
  void (*orchestration_done)(PTO2Runtime* rt);
  uint64_t (*make_tensor)(PTO2Runtime* rt, uint64_t address, const uint64_t* shapes, uint32_t ndims,
                          DataType dtype);  ///< address 0: allocated by the runtime
  uint64_t (*view)(PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
                   const uint64_t* offsets);
  uint64_t (*reshape)(PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes, uint32_t ndims);
  uint64_t (*transpose)(PTO2Runtime* rt, uint64_t tensor, uint32_t x, uint32_t y);
  uint32_t (*ndims)(PTO2Runtime* rt, uint64_t tensor);
  uint64_t (*numel)(PTO2Runtime* rt, uint64_t tensor);
  bool (*is_contiguous)(PTO2Runtime* rt, uint64_t tensor);
  void (*dump)(PTO2Runtime* rt, uint64_t tensor);  ///< logs it; what images of version 1 call
  void (*log)(PTO2Runtime* rt, int32_t level, const char* format, ...)
      __attribute__((format(printf, 3, 4)));
  // Since version 2.
  /// Writes the line that Tensor::dump() returns to `text`, cut to `capacity` bytes with the zero
  /// that ends it; returns its whole length without that zero. `text` may be null if `capacity` is
  /// 0.
  uint64_t (*describe)(PTO2Runtime* rt, uint64_t tensor, char* text, uint64_t capacity);
  int32_t (*allocate_cluster)(PTO2Runtime* rt);
  void (*free_cluster)(PTO2Runtime* rt, int32_t cluster_id);
  void (*submit_task_clustered)(PTO2Runtime* rt, int32_t kernel_id, int32_t worker_type,
                                const PTOParam* params, uint32_t count, int32_t cluster_id);
  void (*submit_block_task)(PTO2Runtime* rt, int32_t kernel_id, int32_t worker_type,
                            const PTOParam* params, uint32_t count, uint32_t block_dim,
                            const int32_t* cluster_ids);  ///< null: on any cores
  // Since version 3.
  void (*fail)(PTO2Runtime* rt, int32_t code, const char* text);
};

struct PTO2Runtime {
  const PTO2RuntimeOps* ops;
};

/// The runtime that tensors of this shared object are made in. Hidden, so that each loaded image
/// has its own, also when several are loaded at once.
inline __attribute__((visibility("hidden"))) PTO2Runtime* pto2_bound_runtime = nullptr;

/// Called by the loader before the configuration and the entry; returns the version of this
/// header, so that an orchestration built for a later one is refused.
extern "C" __attribute__((used, visibility("default"))) inline uint32_t pto2_bind_runtime(
    PTO2Runtime* rt) {
  pto2_bound_runtime = rt;
  return PTO2_ORCHESTRATION_ABI;
}

/// Makes `rt` the runtime of make_tensor(). The loader has done so already; kept for sources that
/// call it.
inline void pto2_rt_init_tensor_pool(PTO2Runtime* rt) {
  pto2_bound_runtime = rt;
}

namespace pto2_api {

/// Shapes may be given in any integer type; the table takes 64 bits.
template <class T>
struct Extents {
  uint64_t value[PTO_MAX_DIMS] = {};
  Extents(const T* from, uint32_t ndims) {
    for (uint32_t i = 0; i < ndims && i < PTO_MAX_DIMS; ++i) {
      value[i] = static_cast<uint64_t>(from[i]);
    }
  }
};
template <>
struct Extents<uint64_t> {
  const uint64_t* value;
  Extents(const uint64_t* from, uint32_t) : value(from) {}
};

}  // namespace pto2_api

/// A tensor in memory that the caller owns, e.g. an argument of the orchestration. Tensors that
/// share bytes are of one buffer, wherever they begin. One whose address is null is in no memory of
/// the caller's, who gets nothing of what is written: as of one of make_tensor(), the task that
/// takes it as OUTPUT allocates its buffer, and it cannot be read before.
template <class S>
inline Tensor make_tensor_external(void* address, const S* shapes, uint32_t ndims,
                                   DataType dtype = DataType::FLOAT32) {
  PTO2Runtime* rt = pto2_bound_runtime;
  const auto place = reinterpret_cast<uint64_t>(address);
  return {rt->ops->make_tensor(rt, address == nullptr ? PTO2_NULL_EXTERNAL : place,
                               pto2_api::Extents(shapes, ndims).value, ndims, dtype)};
}

/// An intermediate tensor. The task that takes it as OUTPUT allocates its buffer.
template <class S>
inline Tensor make_tensor(const S* shapes, uint32_t ndims, DataType dtype = DataType::FLOAT32) {
  PTO2Runtime* rt = pto2_bound_runtime;
  return {rt->ops->make_tensor(rt, 0, pto2_api::Extents(shapes, ndims).value, ndims, dtype)};
}

template <class S, class O>
inline Tensor Tensor::view(const S* shapes, const O* offsets) const {
  PTO2Runtime* rt = pto2_bound_runtime;
  const uint32_t n = rt->ops->ndims(rt, id);
  return {rt->ops->view(rt, id, pto2_api::Extents(shapes, n).value,
                        pto2_api::Extents(offsets, n).value)};
}
template <class S>
inline Tensor Tensor::reshape(const S* shapes, uint32_t ndims) const {
  PTO2Runtime* rt = pto2_bound_runtime;
  return {rt->ops->reshape(rt, id, pto2_api::Extents(shapes, ndims).value, ndims)};
}
inline Tensor Tensor::transpose(uint32_t x, uint32_t y) const {
  return {pto2_bound_runtime->ops->transpose(pto2_bound_runtime, id, x, y)};
}
inline uint64_t Tensor::numel() const {
  return pto2_bound_runtime->ops->numel(pto2_bound_runtime, id);
}
inline bool Tensor::is_contiguous() const {
  return pto2_bound_runtime->ops->is_contiguous(pto2_bound_runtime, id);
}
inline std::string Tensor::dump() const {
  PTO2Runtime* rt = pto2_bound_runtime;
  std::string text(rt->ops->describe(rt, id, nullptr, 0), '\0');
  rt->ops->describe(rt, id, text.data(), text.size() + 1);
  return text;
}

inline PTOParam make_input_param(const Tensor& t) {
  return {PTOParamType::INPUT, t, 0};
}
inline PTOParam make_output_param(const Tensor& t) {
  return {PTOParamType::OUTPUT, t, 0};
}
inline PTOParam make_inout_param(const Tensor& t) {
  return {PTOParamType::INOUT, t, 0};
}
inline PTOParam make_scalar_param(uint64_t value) {
  return {PTOParamType::SCALAR, {}, value};
}

namespace pto2_api {

inline PTOParam pipe_param(PTOParamType type, int32_t tag) {
  return {type, {static_cast<uint32_t>(tag)}, 0};
}
inline PTOParam pipe_param(PTOParamType type, int32_t tag, uint32_t capacity, uint32_t slot_bytes) {
  return {
      type, {PTO2_PIPE_SIZED | static_cast<uint32_t>(tag)}, uint64_t{capacity} << 32 | slot_bytes};
}

}  // namespace pto2_api

/// A pipe: a bounded FIFO of the group that the task is submitted to, named by `tag` within it. The
/// first parameter that names it makes it, with `capacity` slots of `slot_bytes` bytes or, if it
/// does not say, 8 of 16 KiB; later ones say the same or nothing. Its memory is no part of the
/// heap. It lives as long as the group, and what is left in it at the group's end is reported.
///
/// All tasks that name a pipe run in the order of their submission, one after the other. So a task
/// that pops has the entries of those that were submitted before it, and whether a pipe overflows
/// or runs empty, which ends the run with pipe_overflow or pipe_underflow, follows from the graph
/// alone. Only tasks of a group can name one; block tasks only with a single part.
inline PTOParam make_pipe_out_param(int32_t tag) {
  return pto2_api::pipe_param(PTOParamType::PIPE_OUT, tag);
}
inline PTOParam make_pipe_out_param(int32_t tag, uint32_t capacity, uint32_t slot_bytes) {
  return pto2_api::pipe_param(PTOParamType::PIPE_OUT, tag, capacity, slot_bytes);
}
/// The reading side.
inline PTOParam make_pipe_in_param(int32_t tag) {
  return pto2_api::pipe_param(PTOParamType::PIPE_IN, tag);
}
inline PTOParam make_pipe_in_param(int32_t tag, uint32_t capacity, uint32_t slot_bytes) {
  return pto2_api::pipe_param(PTOParamType::PIPE_IN, tag, capacity, slot_bytes);
}

/// Submits a task: kernel `kernel_id` on a core of `worker_type`, a PTO2WorkerType, with `n`
/// parameters, at most 32. The edges follow from what earlier tasks wrote. May wait for a free slot
/// or for memory.
inline void pto2_rt_submit_task(PTO2Runtime* rt, int32_t kernel_id, int32_t worker_type,
                                const PTOParam* params, int32_t n) {
  rt->ops->submit_task(rt, kernel_id, worker_type, params, static_cast<uint32_t>(n));
}

/// Opens a group on a free cluster, the one of the lowest number, and returns its id: 0 to one
/// less than the chip's blocks. Cluster c is block c of the chip: its cube and vector cores. While
/// all clusters are held, it waits for one. The group belongs to the innermost scope that is open.
/// After an error it returns 0. After a deadlock, when tasks are counted and no longer run, ids are
/// those of a chip with enough blocks, and may be larger than this one's.
inline int32_t pto2_rt_allocate_cluster(PTO2Runtime* rt) {
  return rt->ops->allocate_cluster(rt);
}

/// Closes the group that holds `cluster_id`: no task joins it any more. The cluster is free once
/// the tasks of the group have completed. The end of the group's scope closes it, too. An id that
/// was allocated again since cannot be told from the former one.
inline void pto2_rt_free_cluster(PTO2Runtime* rt, int32_t cluster_id) {
  rt->ops->free_cluster(rt, cluster_id);
}

/// As pto2_rt_submit_task, but the task joins the group that holds `cluster_id` and runs on a core
/// of that cluster, before tasks that may run anywhere; -1: on any core, in no group.
inline void pto2_rt_submit_task_clustered(PTO2Runtime* rt, int32_t kernel_id, int32_t worker_type,
                                          const PTOParam* params, int32_t n, int32_t cluster_id) {
  rt->ops->submit_task_clustered(rt, kernel_id, worker_type, params, static_cast<uint32_t>(n),
                                 cluster_id);
}

/// Submits a block task: one task whose kernel runs once per part, `block_dim` times (1..65535), on
/// cores of `worker_type`, in any order, several at a time. A kernel gets two scalars behind its
/// parameters: block_dim, and block_id, the number of its part from 0. The whole is one task for
/// whoever depends on it. It may have 30 parameters, two less than other tasks. Parts share the
/// descriptors of the tensors, which kernels must not write.
inline void pto2_rt_submit_block_task(PTO2Runtime* rt, int32_t kernel_id, int32_t worker_type,
                                      const PTOParam* params, int32_t n, int32_t block_dim) {
  rt->ops->submit_block_task(rt, kernel_id, worker_type, params, static_cast<uint32_t>(n),
                             static_cast<uint32_t>(block_dim), nullptr);
}

/// The same with part i on a core of cluster `cluster_ids[i]`, as a task of the group that holds
/// it, until that part ends. Each of the `block_dim` ids names a cluster that is allocated. Null:
/// on any cores, in no group.
inline void pto2_rt_submit_block_task_clustered(PTO2Runtime* rt, int32_t kernel_id,
                                                int32_t worker_type, const PTOParam* params,
                                                int32_t n, int32_t block_dim,
                                                const int32_t* cluster_ids) {
  rt->ops->submit_block_task(rt, kernel_id, worker_type, params, static_cast<uint32_t>(n),
                             static_cast<uint32_t>(block_dim), cluster_ids);
}

/// Gives the run up: it ends with orchestration_failed, `code` and `text`, which may be null. Both
/// are the orchestration's own. Later calls do nothing, so it should return; tasks that were
/// submitted need not run. If the run has failed before, the first error stays.
inline void pto2_rt_fail(PTO2Runtime* rt, int32_t code, const char* text) {
  rt->ops->fail(rt, code, text);
}

/// Says that no task will follow. Optional: the end of the entry says it too.
inline void pto2_rt_orchestration_done(PTO2Runtime* rt) {
  rt->ops->orchestration_done(rt);
}

/// Holds a scope open for its own lifetime.
class PTO2ScopeGuard {
 public:
  explicit PTO2ScopeGuard(PTO2Runtime* rt) : rt_(rt) { rt_->ops->scope_begin(rt_); }
  ~PTO2ScopeGuard() { rt_->ops->scope_end(rt_); }
  PTO2ScopeGuard(const PTO2ScopeGuard&) = delete;
  PTO2ScopeGuard& operator=(const PTO2ScopeGuard&) = delete;

 private:
  PTO2Runtime* rt_;
};

/// PTO2_SCOPE(rt) { .. }: buffers of the tasks submitted inside live until it ends. An else behind
/// it belongs to the if before it; the one that GCC would warn of is the macro's.
#pragma GCC diagnostic ignored "-Wdangling-else"
#define PTO2_SCOPE(rt) PTO2_SCOPE_NAMED(rt, __LINE__)
#define PTO2_SCOPE_NAMED(rt, line) PTO2_SCOPE_GUARD(rt, line)
#define PTO2_SCOPE_GUARD(rt, line)                         \
  if (PTO2ScopeGuard pto2_scope_guard_##line{rt}; false) { \
  } else

#define LOG_ALWAYS(rt, ...) (rt)->ops->log((rt), PTO2_LOG_ALWAYS, __VA_ARGS__)
#define LOG_ERROR(rt, ...) (rt)->ops->log((rt), PTO2_LOG_ERROR, __VA_ARGS__)
#define LOG_WARN(rt, ...) (rt)->ops->log((rt), PTO2_LOG_WARN, __VA_ARGS__)
#define LOG_INFO(rt, ...) (rt)->ops->log((rt), PTO2_LOG_INFO, __VA_ARGS__)
#define LOG_DEBUG(rt, ...) (rt)->ops->log((rt), PTO2_LOG_DEBUG, __VA_ARGS__)
