/// The arguments of a task, as its kernel sees them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/policy.hpp"
#include "runtime/include/pto_kernel_api.h"

namespace pto2 {

/// Most parameters of one task.
inline constexpr uint32_t max_params = 32;
/// The same of a block task, whose kernel gets block_dim and block_id besides.
inline constexpr uint32_t max_block_params = max_params - 2;
/// Most parts of a block task.
inline constexpr uint32_t max_block_dim = 65535;

/// `args` is what kernel_entry() gets; those that are tensors point into `tensors`. Of a pipe, the
/// address in `tensors` is that of its PTOPipe. One line longer than a power of two, so that the
/// slots of a window do not share a few sets of the caches.
struct alignas(cache_line) TaskArguments {
  PTOCall call;
  std::array<int64_t, max_params> args;
  std::array<PTOTensor, max_params> tensors;

  /// What the kernel gets. From the whole, because it looks at what is in front, too.
  [[nodiscard]] int64_t* for_kernel() {
    return reinterpret_cast<int64_t*>(reinterpret_cast<PTOCall*>(this) + 1);
  }
};
static_assert(sizeof(TaskArguments) ==
              max_params * (sizeof(int64_t) + sizeof(PTOTensor)) + cache_line);
static_assert(offsetof(TaskArguments, args) == sizeof(PTOCall));
static_assert(max_params == pto_max_args);

/// Those of one part of a block task: the values, with block_dim and block_id behind them.
struct PartArguments {
  PTOCall call;
  std::array<int64_t, max_params> args;

  /// As of TaskArguments.
  [[nodiscard]] int64_t* for_kernel() {
    return reinterpret_cast<int64_t*>(reinterpret_cast<PTOCall*>(this) + 1);
  }
};
static_assert(offsetof(PartArguments, args) == sizeof(PTOCall));

}  // namespace pto2
