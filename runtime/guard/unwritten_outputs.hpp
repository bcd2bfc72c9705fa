/// Outputs with elements that their kernel has left unwritten. Another task may have the same
/// tensor as OUTPUT, or as INOUT, and write the rest. So this is told of when one reads them, or
/// when the buffer comes to its end. Of a task that has but allocated a tensor for others it is
/// told only when one reads what nobody has written anything of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "runtime/chip/kernel_guard.hpp"
#include "runtime/guard/running_kernels.hpp"

namespace pto2::guard {

/// The caller excludes others during a call.
class UnwrittenOutputs {
 public:
  /// `param` is a new output of the task that `found` names.
  void add(const GuardedParam& param, const GuardFinding& found, bool is_allocation) {
    outputs_.insert_or_assign(param.tensor.base, Output{param, found, is_allocation});
  }
  /// One that the kernel, which has begun, reads as INPUT, in an element that is unwritten still.
  [[nodiscard]] std::optional<GuardFinding> read_by(const WatchedKernel& kernel) const;
  /// Forgets those in `bytes` bytes from `begin` on, which are used again. Says which of them is
  /// the first that is unwritten still.
  [[nodiscard]] std::optional<GuardFinding> release(uint64_t begin, uint64_t bytes);

 private:
  struct Output {
    GuardedParam param;
    GuardFinding found;
    bool is_allocation;
  };
  /// What is unwritten of `read`, a tensor in the same buffer, as far as it is told.
  [[nodiscard]] static std::optional<GuardFinding> find(const Output& output,
                                                        const TensorRecord& read);

  std::map<uint64_t, Output> outputs_;  // by where their buffers begin
};

}  // namespace pto2::guard
