/// What a guard knows of a task: the tensors that its kernel is given.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/include/pto_orchestration_api.h"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2::guard {

struct GuardedParam {
  TensorRecord tensor;
  PTOParamType type = PTOParamType::INPUT;
  uint32_t index = 0;         ///< among the parameters of the task
  uint64_t buffer_bytes = 0;  ///< of a buffer of the heap; 0: memory of the caller
  bool is_new = false;        ///< the task has allocated the buffer
  bool is_filled = false;     ///< with the pattern of what nobody has written (values.hpp)
  bool had_nan = false;       ///< before the kernel ran

  [[nodiscard]] bool is_written() const { return type != PTOParamType::INPUT; }
  [[nodiscard]] bool is_read() const { return type != PTOParamType::OUTPUT; }
  [[nodiscard]] uint64_t begin() const { return tensor.base + tensor.region.begin; }
  [[nodiscard]] uint64_t end() const { return tensor.base + tensor.region.end; }
};

struct GuardedTask {
  TaskId id = no_task;
  uint16_t kernel = 0;               ///< its id
  std::vector<GuardedParam> params;  ///< those that are tensors
  bool has_others = false;           ///< parameters that are none
  bool has_begun = false;            ///< the kernel, or that of a part
  bool reads_nan = false;            ///< an input had one, or may have had
  bool reads_unwritten = false;      ///< the same of elements that nobody had written
  uint32_t parts_to_end = 0;         ///< of a block task; 1 of others
};

}  // namespace pto2::guard
