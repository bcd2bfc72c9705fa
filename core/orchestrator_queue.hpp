/// The orchestrator's ready queue: a bounded FIFO with one producer, of which every scheduler pops.
///
///   entries   a ring of words: how many tasks were pushed with this one, and its slot
///   pushed    tasks that were pushed, the orchestrator's
///   popped    tasks that were popped
///
/// Write rights: entries and pushed: the orchestrator. popped: whoever pops, by compare-and-swap.
///
///   OQ-I1: each task is popped exactly once, in the order of the pushes.
///   OQ-I2: a push is refused only when the ring is full, and then the orchestrator keeps the task.
///          No task is overwritten.
///   OQ-I3: what the orchestrator wrote before a push happens before the pop's return.
///   OQ-I4: a pop that finds nothing comes before every push that was not popped, in the single
///          total order.
///   OQ-P1: the ring has a power of two of entries, 1..2^20; or none, and is not used.
///
/// An entry tells by its number whether it holds the task that is to be popped next, is still to be
/// written, or was written anew because others have popped that task: so nobody writes an entry but
/// the producer, and a push is one store. The producer writes an entry anew when its task was
/// taken. A popper may read it before or after that: it takes the task only if the entry has the
/// number of the next one. The numbers count modulo 2^42; a popper compares right that slept for
/// less than 2^41 pushes, which take a day.
///
/// OQ-I4 is one side of store buffering: a push, then a look for sleepers; the announcement of a
/// sleeper, then a pop (parked_schedulers.hpp).
///
/// Progress: a push is wait-free, a pop lock-free: it repeats only when another one came first.
#pragma once

#include <bit>
#include <span>

#include "core/assert.hpp"
#include "core/policy.hpp"
#include "core/task_id.hpp"

namespace pto2 {

struct OrchestratorQueueOrders {
  /// Publishes the task; before ParkedSchedulers::peek(). Partner of look.
  static constexpr OrderSite publish{"orchestrator_queue.publish", Operation::store,
                                     std::memory_order_seq_cst};
  /// Observes the task, or that there is none after an announcement; partner of publish.
  static constexpr OrderSite look{"orchestrator_queue.look", Operation::load,
                                  std::memory_order_seq_cst};
  /// Takes the task. Nothing else is published by it: what the entry held is told by its number.
  static constexpr OrderSite take{"orchestrator_queue.take", Operation::update,
                                  std::memory_order_relaxed};
  /// How far tasks were taken. Who sees an entry that was written anew sees at least as much after
  /// that: look has observed what came before publish.
  static constexpr OrderSite room{"orchestrator_queue.room", Operation::load,
                                  std::memory_order_relaxed};
  /// Which task is the next. Who sees it late finds its entry written anew, or loses; what was
  /// observed with that entry makes the next look at it a later one.
  static constexpr OrderSite next{"orchestrator_queue.next", Operation::load,
                                  std::memory_order_relaxed};
  /// Lost to another popper.
  static constexpr OrderSite lost{"orchestrator_queue.lost", Operation::load,
                                  std::memory_order_relaxed};
};

template <Policy P>
class OrchestratorQueue {
 public:
  using Orders = OrchestratorQueueOrders;
  using Entry = typename P::template atomic<uint64_t>;

  /// The entries outlive this object, and are zero (OQ-P1). The first task has number `first`.
  explicit OrchestratorQueue(std::span<Entry> entries, uint64_t first = 0)
      : entries_(entries.data()),
        mask_(entries.size() - 1),
        pushed_(first),
        end_of_room_(first + entries.size()),
        popped_(first) {
    PTO2_INVARIANT("OQ-P1", capacity() <= max_ring_entries);
    PTO2_INVARIANT("OQ-P1", capacity() == 0 || std::has_single_bit(capacity()));
  }

  /// By the orchestrator. False: it is full.
  [[nodiscard]] bool try_push(SlotId slot) {
    if (pushed_ == end_of_room_ && !observe_room()) [[unlikely]]
      return false;
    entry(pushed_).store(number(pushed_) | slot.value, P::order(Orders::publish));
    ++pushed_;
    return true;
  }

  /// False: it is empty, and `slot` is untouched.
  [[nodiscard]] bool try_pop(SlotId& slot) {
    uint64_t next = popped_.load(P::order(Orders::next));
    for (;;) {
      // The slot, if the entry has the number of the next task; else below 0, or beyond all slots.
      const uint64_t past = entry(next).load(P::order(Orders::look)) - number(next);
      if (past < numbers) {
        if (!popped_.compare_exchange_strong(next, next + 1, P::order(Orders::take),
                                             P::order(Orders::lost))) {
          continue;
        }
        slot = {static_cast<uint32_t>(past)};
        return true;
      }
      if (static_cast<int64_t>(past) < 0) return false;
      next = popped_.load(P::order(Orders::next));
    }
  }

  /// Tasks that were pushed. Read by the orchestrator, or after the run.
  [[nodiscard]] uint64_t pushed() const { return pushed_; }

  /// True if no more was popped than pushed, and no more is left than there is room for.
  [[nodiscard]] bool invariant_holds() const {
    return pushed_ - popped_.load(P::order(Orders::next)) <= capacity();
  }

 private:
  static constexpr uint64_t numbers = uint64_t{1} << entry_bits;  ///< what numbers are counted in
  /// Of the task before which `n` were pushed. It is not 0 but once in 2^42.
  static constexpr uint64_t number(uint64_t n) { return (n + 1) * numbers; }

  [[nodiscard]] uint64_t capacity() const { return mask_ + 1; }
  [[nodiscard]] Entry& entry(uint64_t n) { return entries_[n & mask_]; }

  /// False: there is none.
  [[nodiscard]] [[gnu::noinline]] bool observe_room() {
    end_of_room_ = popped_.load(P::order(Orders::room)) + capacity();
    return pushed_ != end_of_room_;
  }

  Entry* entries_;
  uint64_t mask_;  ///< capacity - 1
  // The orchestrator's.
  alignas(cache_line) uint64_t pushed_;
  uint64_t end_of_room_;
  // The poppers'.
  alignas(cache_line) typename P::template atomic<uint64_t> popped_;
};

}  // namespace pto2
