/// Learns while a run is submitted which ring sizes it needs ("counting mode").
///
/// After a deadlock the orchestration goes on without executing anything; the object that saw
/// every submission from the first on then knows which sizes would have been enough.
///
/// A size is enough when every submission succeeds in the best case: all submitted tasks have
/// completed, so that only open scopes hold tasks, and a task has retired when its scope has ended
/// and all earlier ones of its ring have retired. The rings place by order of submission alone, so
/// what fails then fails at any speed, and what succeeds then succeeds once enough has completed.
/// Nodes are the exception: those that a task takes for producers which have not retired yet, and
/// could have, stay taken until it retires, so a slow run can need more of them.
///
/// Scopes end in reverse order of their beginning. So the outermost open scope that holds tasks of
/// a ring holds its oldest live task, and when it ends the ring is drained: one mark per ring,
/// taken at that task, replaces the history.
///
///   RR-P1: a scope is open when a scope ends or a task is submitted.
///   RR-P2: a task is submitted to one of the rings.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "core/assert.hpp"
#include "core/heap_layout.hpp"
#include "core/task_id.hpp"

namespace pto2 {

/// Simulates heap rings of all power-of-two sizes that matter side by side; bytes per task come in,
/// the smallest size that took them all comes out.
///
/// A heap's position is the sum of all bytes so far minus an offset that changes only where it
/// wraps or starts over. Where the sum next makes that possible, or a refusal, is known for every
/// heap, so that most submissions cost one comparison, and the others one per heap.
class HeapRequirement {
 public:
  static constexpr uint32_t smallest_log2 = 10;
  static constexpr uint64_t smallest = uint64_t{1} << smallest_log2;
  static constexpr uint32_t largest_log2 = 40;
  static constexpr uint32_t candidates = largest_log2 - smallest_log2 + 1;

  /// Of the power of two at `least` or below it, and those above: 1 KiB to 1 TiB. A heap whose size
  /// is known costs little to watch for what a larger one would do; the smaller ones wrap all the
  /// time.
  explicit HeapRequirement(uint64_t least = smallest) {
    const auto first = static_cast<uint32_t>(std::bit_width(least)) - 1 - smallest_log2;
    refused_ = (uint64_t{1} << first) - 1;
    until_event_ = size(first);
  }

  /// A packed buffer of `bytes` bytes is placed; `drained` says that no live task is in the ring,
  /// so this one becomes its oldest.
  void submit(uint64_t bytes, bool drained) {
    if (drained) [[unlikely]] {
      tail_sum_ = sum_;
      ++drains_;
    }
    if (bytes < until_event_) [[likely]] {
      until_event_ -= bytes;
      sum_ += bytes;
    } else {
      place_in_all(bytes);
    }
  }

  /// Bytes; none when 1 TiB is not enough.
  std::optional<uint64_t> smallest_size() const;

 private:
  static constexpr uint64_t never = ~uint64_t{0};

  static constexpr uint64_t size(uint32_t i) { return uint64_t{1} << (smallest_log2 + i); }
  static constexpr std::array<uint64_t, candidates> sizes() {
    std::array<uint64_t, candidates> result{};
    for (uint32_t i = 0; i < candidates; ++i) result[i] = size(i);
    return result;
  }
  /// Where the tail of a heap is, if the heap has changed its offset since the last drain; if not,
  /// it follows from that.
  struct Tail {
    uint64_t drain;   ///< the number of the drain that it belongs to
    uint64_t offset;  ///< tail_sum_ - offset is the tail
  };
  bool place(uint32_t i, uint64_t before, uint64_t bytes);
  void place_in_all(uint64_t bytes);

  uint64_t sum_ = 0;                                       ///< of all bytes placed, modulo 2^64
  uint64_t tail_sum_ = 0;                                  ///< sum before the oldest live task
  uint64_t until_event_;                                   ///< bytes to the first of next_event_
  std::array<uint64_t, candidates> next_event_ = sizes();  ///< sums, modulo 2^64
  std::array<uint64_t, candidates> offsets_{};             ///< sum_ - offset is the top
  uint64_t drains_ = 0;
  std::array<Tail, candidates> tails_{};
  uint64_t refused_;  ///< bit i: size i was too small
};

/// What one task asks for.
struct TaskDemand {
  uint64_t heap_bytes = 0;  ///< of its packed buffer
  uint64_t dep_nodes = 0;   ///< edges to producers that can_be_live(); others have retired by then
};

/// Sizes that are enough for one ring.
struct RingRequirement {
  uint64_t window;                     ///< slots; the smallest power of two, at least 4
  std::optional<uint64_t> heap_bytes;  ///< the smallest power of two that was simulated, if any
  uint64_t dep_pool;                   ///< nodes, exact
};

class ResourceRequirement {
 public:
  /// Heaps are simulated from `least_heap` bytes on, as HeapRequirement does.
  explicit ResourceRequirement(uint64_t least_heap = HeapRequirement::smallest) {
    for (Ring& ring : rings_) ring.heap = HeapRequirement(least_heap);
    for (uint32_t ring = 0; ring < max_rings; ++ring) oldest_[ring] = make_id(RingId(ring), 0);
  }

  void scope_begin() { ++depth_; }
  void scope_end();  ///< RR-P1
  /// A task is submitted to `ring` in the innermost open scope. RR-P1, RR-P2
  void submit(RingId ring, const TaskDemand& demand) {
    PTO2_INVARIANT("RR-P2", ring < max_rings);
    Ring& books = rings_[ring.value];
    if (books.holder_depth == 0) [[unlikely]]
      return submit_first(books, demand);
    books.submit(demand, false);
  }
  /// False when the task has retired in the best case. Tells which producers count as dep_nodes.
  bool can_be_live(TaskId task) const { return task >= oldest_[ring_of(task).value]; }
  /// Number of the ring's oldest live task in the best case. A run that only counts gives these to
  /// TensorMap::sync().
  uint64_t watermark(RingId ring) const { return local_of(oldest_[ring.value]); }

  RingRequirement ring(RingId ring) const;

 private:
  struct Ring {
    uint32_t holder_depth = 0;  ///< of the outermost open scope with tasks here; 0: drained
    uint64_t submitted = 0;
    uint64_t live_nodes = 0;
    uint64_t max_live = 0;   ///< most live tasks at a drain, that is, of any time before it
    uint64_t max_nodes = 0;  ///< most live nodes at a drain
    HeapRequirement heap;

    // Both only grow from drain to drain.
    [[nodiscard]] uint64_t most_live(uint64_t oldest) const {
      return std::max(max_live, submitted - oldest);
    }
    [[nodiscard]] uint64_t most_nodes() const { return std::max(max_nodes, live_nodes); }

    void submit(const TaskDemand& demand, bool drained) {
      ++submitted;
      live_nodes += demand.dep_nodes;
      heap.submit(demand.heap_bytes, drained);
    }
  };

  /// The first task of a ring that is drained, or was never used.
  void submit_first(Ring& books, const TaskDemand& demand);

  uint32_t depth_ = 0;
  std::array<TaskId, max_rings> oldest_;  ///< live tasks; if drained: the next ones
  std::array<Ring, max_rings> rings_;
};

}  // namespace pto2
