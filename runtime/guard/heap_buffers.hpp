/// The buffers of the heap rings and their red zones, for the orchestrator, which allocates them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/task_id.hpp"
#include "runtime/guard/red_zones.hpp"
#include "runtime/include/pto_kernel_api.h"

namespace pto2::guard {

struct HeapBuffer {
  uint64_t bytes;
  TaskId task;      ///< that allocated it
  uint16_t kernel;  ///< of that task
  uint32_t param;   ///< of that task
  PTOTensor tensor;
};

/// A buffer whose zone was written when no kernel had it any more.
struct LateDamage {
  HeapBuffer buffer;
  bool in_front;
  Damage damage;
};

/// Used by one thread.
class HeapBuffers {
 public:
  /// Bytes of the buffer at this address; 0 if there is none.
  [[nodiscard]] uint64_t bytes_of(uint64_t address) const {
    const auto found = buffers_.find(address);
    return found == buffers_.end() ? 0 : found->second.bytes;
  }

  /// Forgets the buffers that lie in `bytes` bytes from `begin` on, which are used again. Their
  /// tasks are reclaimed. Says which was the first with damage.
  [[nodiscard]] std::optional<LateDamage> release(uint64_t begin, uint64_t bytes);
  /// Paints the zones of a new buffer.
  void add(uint64_t address, const HeapBuffer& buffer);

 private:
  std::map<uint64_t, HeapBuffer> buffers_;  // by address
};

}  // namespace pto2::guard
