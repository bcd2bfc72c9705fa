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
static_assert(max_params == pto_max_args);

/// Where the arguments of a task lie: a PTOCall at the begin of a line, the values behind it, the
/// tensors that they point to in front of it, the first one last. So each has its place whatever a
/// kernel does to the PTOCall. Of a pipe, the address of the tensor is that of its PTOPipe.
class TaskArguments {
 public:
  TaskArguments() = default;  ///< none
  /// In front of `call`, which begins a line, and behind it is room for those of a task.
  explicit TaskArguments(std::byte* call) : call_(reinterpret_cast<PTOCall*>(call)) {}

  /// Bytes of the lines in front of the PTOCall.
  static constexpr std::size_t bytes_in_front(uint32_t params) {
    return whole_lines(params * sizeof(PTOTensor));
  }
  /// Bytes of the lines from there on.
  static constexpr std::size_t bytes_behind(uint32_t params) {
    return whole_lines(sizeof(PTOCall) + params * sizeof(int64_t));
  }

  [[nodiscard]] PTOCall& call() const { return *call_; }
  /// What the kernel gets.
  [[nodiscard]] int64_t* values() const { return reinterpret_cast<int64_t*>(call_ + 1); }
  [[nodiscard]] PTOTensor& tensor(uint32_t i) const {
    return *(reinterpret_cast<PTOTensor*>(call_) - 1 - i);
  }

 private:
  static constexpr std::size_t whole_lines(std::size_t bytes) {
    return (bytes + cache_line - 1) / cache_line * cache_line;
  }

  PTOCall* call_ = nullptr;
};

/// Those of one part of a block task: the values, with block_dim and block_id behind them.
struct PartArguments {
  const PTOCall* task;  ///< that of the whole task
  PTOCall call;
  std::array<int64_t, max_params> args;

  /// What the kernel gets. From the whole, because it looks at what is in front, too.
  [[nodiscard]] int64_t* for_kernel() {
    return reinterpret_cast<int64_t*>(reinterpret_cast<std::byte*>(this) +
                                      offsetof(PartArguments, args));
  }
};
static_assert(offsetof(PartArguments, call) == sizeof(const PTOCall*));
static_assert(offsetof(PartArguments, args) == sizeof(const PTOCall*) + sizeof(PTOCall));

}  // namespace pto2
