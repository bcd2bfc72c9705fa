/// The watermark (last_task_alive): every task of the ring below it is consumed.
///
/// Write rights: anyone who consumed a task advances it, by compare-and-swap, one task at a time.
/// Slots, heap bytes, dependency nodes and TensorMap entries are reclaimed by the orchestrator,
/// which derives all of it from this one word.
///
///   WM-I1: monotone, and it never skips a task.
///   WM-I2: it never passes a task that is not consumed.
///   WM-I3: never lost: once every advance has returned, the task at the watermark is not
///          consumed.
///
/// WM-I3 is store buffering: one thread consumes task a and looks at the watermark, another moves
/// the watermark to a and looks whether a is consumed. Both may miss unless the four operations
/// (consume, load the watermark, move it, load the slot) are seq_cst. They are; then no retry is
/// needed, and who has consumed a and finds the watermark at another task leaves it at that: it is
/// before a, and whoever moves it to a looks at a after that. The id in the slot's word is the
/// bound: an upper bound such as the index of the next task could be stale, and would lose an
/// advance again.
///
/// Progress: lock-free; a lost compare-and-swap means that another thread advanced.
#pragma once

#include "core/assert.hpp"
#include "core/policy.hpp"
#include "core/task_id.hpp"

namespace pto2 {

struct WatermarkOrders {
  /// Looks after a task was consumed; partner of move.
  static constexpr OrderSite look{"watermark.look", Operation::load, std::memory_order_seq_cst};
  /// Moves past a consumed task; publishes to the orchestrator that its slot is free.
  static constexpr OrderSite move{"watermark.move", Operation::update, std::memory_order_seq_cst};
  /// Lost to another thread, which goes on in our place.
  static constexpr OrderSite lost{"watermark.lost", Operation::load, std::memory_order_relaxed};
  /// The orchestrator's view before it reuses a slot; partner of move. And before it sleeps until
  /// the watermark has moved: then it comes after its mark in the single total order
  /// (core/awaited_mark.hpp).
  static constexpr OrderSite observe{"watermark.observe", Operation::load,
                                     std::memory_order_seq_cst};
};

/// What an advance came to: it has moved the watermark as far as it goes, it had not to move it, or
/// another thread goes on in its place, maybe from the first task on.
enum class Advance { advanced, not_next, lost_race };

template <Policy P>
class Watermark {
 public:
  using Orders = WatermarkOrders;

  /// By who has consumed task `consumed`, once, after that: moves past it if it is the oldest
  /// alive, and past those behind it that `is_consumed(local id)` finds consumed. `passed(local
  /// id)` is told of each. After that there is nothing left to do for this caller.
  template <class IsConsumed, class Passed>
  Advance advance(uint64_t consumed, IsConsumed&& is_consumed, Passed&& passed) {
    uint64_t alive = last_alive_.load(P::order(Orders::look));
    if (alive != consumed) return Advance::not_next;
    do {
      if (!last_alive_.compare_exchange_strong(alive, alive + 1, P::order(Orders::move),
                                               P::order(Orders::lost))) {
        return Advance::lost_race;
      }
      passed(alive);
    } while (is_consumed(++alive));
    return Advance::advanced;
  }

  /// Local id of the oldest task alive; equals the number of reclaimed tasks.
  [[nodiscard]] uint64_t observe() const { return last_alive_.load(P::order(Orders::observe)); }

  /// True if it has passed only tasks that exist, `next` being the local id of the ring's next
  /// task (WM-I2). That nothing was lost is TaskLifeCycle's to say: it knows the slots.
  [[nodiscard]] bool invariant_holds(uint64_t next) const { return observe() <= next; }

 private:
  alignas(cache_line) typename P::template atomic<uint64_t> last_alive_{0};
};

}  // namespace pto2
