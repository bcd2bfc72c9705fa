/// Who wrote a buffer as a whole: what the TensorMap keeps at the buffer itself.
#pragma once

#include <cstdint>

#include "core/task_id.hpp"

namespace pto2 {

/// Kept by the TensorTable, which makes it, and written by the TensorMap.
struct BufferWrites {
  uint64_t key = 0;  ///< of the buffer's entries in the TensorMap, and of no other's
  /// Of the buffer; of an external one, of the tensor that was made of its begin last.
  uint64_t bytes = 0;
  TaskId owner = no_task;  ///< the task that allocated it; no_task: it is external, or has none yet
  TaskId writer = no_task;  ///< the last that wrote all of it, not the owner; it may have retired
  uint64_t written = 0;     ///< bytes that all of it was for the writer
  TaskId reader = no_task;  ///< the last that has met the writer in a look-up; no_task: nobody has
  /// False: the TensorMap has no entries of it, so that a look-up ends here.
  bool may_have_parts = false;
  uint32_t bucket = 0;  ///< of its entries, once it had some
};

}  // namespace pto2
