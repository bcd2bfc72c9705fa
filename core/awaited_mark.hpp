/// What the orchestrator waits for, so that it is rung for that alone, and not while it does not
/// wait.
///
///   mark   nothing: it waits for no completion; any: each of them counts; or the task that is to
///          be the oldest alive of its ring
///
/// Write rights: the orchestrator.
///
///   AM-I1: the orchestrator does not sleep unrung while the watermark has reached its mark, or, if
///          any completion counts, a watermark has moved or a cluster was given back.
///
/// That is store buffering: the orchestrator says what it waits for, then looks whether it is there
/// already; a completer moves the watermark or gives the cluster back, then looks at the mark. The
/// single total order excludes that both miss the other's store (watermark.move, watermark.observe;
/// cluster_pool.give_back, cluster_pool.look). Who misses that a wait has ended rings for nothing.
///
/// Progress: every verb is one or two plain atomic accesses.
#pragma once

#include "core/policy.hpp"
#include "core/task_id.hpp"

namespace pto2 {

struct AwaitedMarkOrders {
  /// Before a look at the watermark, or for a cluster.
  static constexpr OrderSite set{"awaited_mark.set", Operation::store, std::memory_order_seq_cst};
  /// Whoever misses it rings for nothing.
  static constexpr OrderSite clear{"awaited_mark.clear", Operation::store,
                                   std::memory_order_relaxed};
  /// After a move of the watermark.
  static constexpr OrderSite look{"awaited_mark.look", Operation::load, std::memory_order_seq_cst};
};

template <Policy P>
class AwaitedMark {
 public:
  using Orders = AwaitedMarkOrders;

  /// The orchestrator is about to wait until the ring of `mark` has no older task alive.
  void set(TaskId mark) { mark_.store(mark.value, P::order(Orders::set)); }
  /// The same until a completion has made room, whichever that is.
  void set_any() { set(any); }
  /// The wait is over.
  void clear() { mark_.store(nothing.value, P::order(Orders::clear)); }

  /// After completions, and the moves of watermarks that came of them: whether the orchestrator is
  /// to be rung. `watermark_of(ring)` gives the watermark of a ring.
  template <class WatermarkOf>
  [[nodiscard]] bool is_reached(WatermarkOf&& watermark_of) const {
    const TaskId mark{mark_.load(P::order(Orders::look))};
    if (mark == nothing) [[likely]]
      return false;
    return mark == any || watermark_of(ring_of(mark)).observe() >= local_of(mark);
  }

 private:
  static constexpr TaskId any = no_task;
  static constexpr TaskId nothing{no_task.value - 1};

  alignas(cache_line) typename P::template atomic<uint64_t> mark_{nothing.value};
};

}  // namespace pto2
