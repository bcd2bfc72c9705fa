/// What watches the memory of kernels while they run, as whoever runs them sees it, and what it may
/// find. What it does is the affair of runtime/guard.
#pragma once

#include <cstdint>

#include "core/task_id.hpp"
#include "runtime/include/pto_kernel_api.h"

namespace pto2 {

using KernelEntry = void (*)(int64_t*);

/// What is wrong with the memory of a kernel. Plain data, for the fatal latch; without
/// initialisers, because a fault of each task has room for one.
struct GuardFinding {
  enum class Kind : uint8_t {
    none,
    in_front,   ///< bytes in front of a buffer of the heap
    behind,     ///< bytes behind it
    beside,     ///< bytes of the buffer that the view is not
    input,      ///< bytes of a tensor that is INPUT alone
    unwritten,  ///< elements of an output that still are what they were filled with
    nan,        ///< elements of an output that are no number
    starved,    ///< no memory to watch the kernel with, which was not run; the rest means nothing
  };
  enum class When : uint8_t {
    during,    ///< the kernel ran
    together,  ///< the same, and so did others: who of them wrote is not known
    before,    ///< the kernel began, which was not run
    after,     ///< the kernel ended: it is that of the task that has allocated the buffer
  };

  Kind kind;
  When when;
  uint16_t kernel;  ///< its id
  uint32_t worker;  ///< that ran the kernel; nothing of bytes with When::after
  uint32_t param;   ///< number of the parameter
  TaskId task;
  PTOTensor tensor;
  uint64_t first;     ///< address of the first byte or element
  uint64_t count;     ///< bytes, or elements of `unwritten` and `nan`
  uint64_t distance;  ///< bytes from the edge of the tensor, or into it
};

class KernelGuard {
 public:
  virtual ~KernelGuard() = default;

  /// Calls kernel(args) for a task, or for a part of one. Kind::none: nothing is wrong. What the
  /// kernel throws goes on.
  virtual GuardFinding run(TaskId task, KernelEntry kernel, int64_t* args) = 0;
};

/// A call under a guard in the form of a kernel: run_guarded(call.as_args()).
struct GuardedCall {
  KernelGuard* guard;
  TaskId task;
  KernelEntry kernel;
  int64_t* args;
  GuardFinding found;

  [[nodiscard]] int64_t* as_args() { return reinterpret_cast<int64_t*>(this); }
};

inline void run_guarded(int64_t* self) {
  auto& call = *reinterpret_cast<GuardedCall*>(self);
  call.found = call.guard->run(call.task, call.kernel, call.args);
}

}  // namespace pto2
