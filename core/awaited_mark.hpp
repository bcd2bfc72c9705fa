/// The watermark that the orchestrator waits for, so that it is rung for that one and not for every
/// task that completes.
///
///   mark   the task that is to be the oldest alive of its ring; no_task: every completion counts
///
/// Write rights: the orchestrator.
///
///   AM-I1: the orchestrator does not sleep unrung while the watermark has reached its mark and the
///          scheduler that moved it there has no core at work.
///
/// It needs no order of its own. Who moves the watermark to the mark and looks at the mark may find
/// what stood there before: no mark, or one that was reached, and rings all the same, unless it
/// does not see yet how far the watermark of that one has come. Then it is silent until its next
/// completion, or until none of its cores works, when every scheduler rings. A wait for a mark ends
/// when that is reached, or when every task has finished: whoever completes one that was published
/// after that finds the mark cleared. The ring tells the orchestrator of the watermark.
///
/// Progress: every verb is one or two plain atomic accesses.
#pragma once

#include "core/policy.hpp"
#include "core/task_id.hpp"

namespace pto2 {

struct AwaitedMarkOrders {
  /// Whoever misses it rings for nothing, or late.
  static constexpr OrderSite set{"awaited_mark.set", Operation::store, std::memory_order_relaxed};
  /// Published with the tasks that follow.
  static constexpr OrderSite clear{"awaited_mark.clear", Operation::store,
                                   std::memory_order_relaxed};
  /// Finds the mark, or what stood there before.
  static constexpr OrderSite look{"awaited_mark.look", Operation::load, std::memory_order_relaxed};
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
