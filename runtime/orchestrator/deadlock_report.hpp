/// The text of a deadlock: the original's FATAL lines, the wait-for cycle, and what would have
/// worked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/admission.hpp"
#include "core/heap_ring.hpp"
#include "core/task_id.hpp"
#include "runtime/orchestrator/cluster_groups.hpp"
#include "runtime/orchestrator/requirement.hpp"
#include "runtime/record/event.hpp"
#include "runtime/run/config.hpp"
#include "runtime/run/error.hpp"

namespace pto2 {

[[nodiscard]] Resource resource_of(Lack lack);

/// State of the blocked orchestrator, whether it is a deadlock or a long wait. Bytes for the heap,
/// entries for the others.
struct Deadlock {
  Resource resource = Resource::task_ring;
  RingId ring;
  uint64_t requested = 0;
  uint64_t size = 0;  ///< of the resource
  uint64_t used = 0;
  TaskId oldest = no_task;  ///< the task that holds the watermark of the ring
  Phase oldest_phase = Phase::completed;
  uint32_t oldest_scope = 0;  ///< depth of the scope that holds it, 0 the outermost
  uint32_t open_scopes = 0;
  uint64_t next = 0;   ///< of the task ring: the task that comes next
  uint64_t alive = 0;  ///< of the task ring: the watermark
  uint64_t heap_top = 0;
  uint64_t heap_tail = 0;
  uint64_t available = 0;              ///< of the heap: the largest_request()
  std::vector<OpenGroup> groups;       ///< that hold the clusters
  std::optional<uint64_t> sufficient;  ///< size that works as far as was counted, if there is one
  bool is_smallest = false;            ///< of `sufficient`: it works, and no smaller one does
  std::string refusal;                 ///< why that cannot be set; empty: it can
};

/// The lines that warn of a wait after so many looks in vain. They say in which state the oldest
/// task alive is: one that stays ready waits for a core, or its kernel does not return.
[[nodiscard]] std::vector<std::string> describe_wait(const Deadlock& wait, uint64_t spins);

/// `is_smallest` false makes every size "at least".
[[nodiscard]] RunError describe_deadlock(const Deadlock& deadlock);

/// Bytes of the largest request that `heap` grants, a multiple of packed_output_alignment.
[[nodiscard]] uint64_t largest_request(const HeapRing& heap);

/// Why a device of `config` cannot have `size` of `resource`; empty if it can.
[[nodiscard]] std::string refusal_of_size(DeviceConfig config, Resource resource, uint64_t size);

/// The smallest size of `resource`, clusters excepted, that works in every ring, by what
/// `requirement` has seen.
[[nodiscard]] std::optional<uint64_t> sufficient_size(const ResourceRequirement& requirement,
                                                      Resource resource);

}  // namespace pto2
