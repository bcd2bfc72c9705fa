/// The part of a block.
#pragma once

#include "runtime/include/pto_kernel_api.h"

namespace pto2::workloads {

/// Elements of the first tensor that block args[4] of args[3] has.
struct BlockPart {
  explicit BlockPart(const int64_t* args)
      : size(pto_tensor(args, 0).shape[0]),
        begin(size * static_cast<uint64_t>(args[4]) / static_cast<uint64_t>(args[3])),
        end(size * static_cast<uint64_t>(args[4] + 1) / static_cast<uint64_t>(args[3])) {}

  uint64_t size;  ///< of the tensor
  uint64_t begin;
  uint64_t end;
};

}  // namespace pto2::workloads
