/// The watermark that the orchestrator waits for, so that it is rung for that one and not for every
/// task that completes.
///
///   mark   the task that is to be the oldest alive of its ring; no_task: every completion counts
///
/// Write rights: the orchestrator.
///
///   AM-I1: the orchestrator does not sleep unrung while the watermark has reached its mark, or,
///          while there is no mark, has moved at all, or a cluster was given back.
///
/// Who misses a new mark finds what stood there before: no mark, or an older one that was reached,
/// be it of another ring, and rings all the same. Who misses that a mark was cleared would be
/// silent. That is store buffering: the orchestrator clears the mark, then looks at the watermark;
/// a completer moves the watermark, then looks at the mark. The single total order excludes it, and
/// that an older mark was reached without being known to be (watermark.move, watermark.observe;
/// cluster_pool.give_back, cluster_pool.look).
///
/// Progress: every verb is one or two plain atomic accesses.
#pragma once

#include "core/policy.hpp"
#include "core/task_id.hpp"

namespace pto2 {

struct AwaitedMarkOrders {
  /// Whoever misses it rings for nothing.
  static constexpr OrderSite set{"awaited_mark.set", Operation::store, std::memory_order_relaxed};
  /// Before a look at the watermark.
  static constexpr OrderSite clear{"awaited_mark.clear", Operation::store,
                                   std::memory_order_seq_cst};
  /// After a move of the watermark.
  static constexpr OrderSite look{"awaited_mark.look", Operation::load, std::memory_order_seq_cst};
};

template <Policy P>
class AwaitedMark {
 public:
  using Orders = AwaitedMarkOrders;

  /// The orchestrator is about to wait until the ring of `mark` has no older task alive.
  void set(TaskId mark) { mark_.store(mark.value, P::order(Orders::set)); }
  /// Every completion counts again.
  void clear() { mark_.store(no_task.value, P::order(Orders::clear)); }

  /// After completions, and the moves of watermarks that came of them: whether the orchestrator is
  /// to be rung. `watermark_of(ring)` gives the watermark of a ring.
  template <class WatermarkOf>
  [[nodiscard]] bool is_reached(WatermarkOf&& watermark_of) const {
    const TaskId mark{mark_.load(P::order(Orders::look))};
    return mark == no_task || watermark_of(ring_of(mark)).observe() >= local_of(mark);
  }

 private:
  alignas(cache_line) typename P::template atomic<uint64_t> mark_{no_task.value};
};

}  // namespace pto2
