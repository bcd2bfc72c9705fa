/// The task word: a lock-free fan-out. One 64-bit word per slot is the task's state.
///
///   bits  0..19  references: the task itself, its scope, each consumer or holder that has not
///                completed
///   bit  20      closed: the task completed; the list takes no more nodes
///   bits 21..42  head of the list of consumers (a NodeId, 0 = none)
///   bits 43..63  the low bits of the task's local id, more than any window needs
///
/// Phases: open = initial or ready, closed = completed, closed without references = consumed.
///
/// Write rights: open(), claim(), hold(): the orchestrator. close(): the completer, once. drop():
/// who holds a reference. The orchestrator is the only one who claims, drops scope references and
/// recycles, so a head it read cannot have been recycled under its compare-and-swap: no ABA.
///
///   TW-I1: references > 0 until the word is closed; the count never wraps.
///   TW-I2: the list changes only while the word is open.
///   TW-I3: exactly one of close() and the drop()s reports that the task is consumed.
///   TW-I4: the id of a word changes only when the word is consumed.
///
/// Progress: every verb but claim() is one atomic operation; claim() repeats only when a drop or
/// the close of the same producer came between, so it is lock-free.
#pragma once

#include "core/assert.hpp"
#include "core/task_state.hpp"

namespace pto2 {

struct TaskWordOrders {
  /// The orchestrator alone writes a recycled word; the hand-over of the task publishes it.
  static constexpr OrderSite open{"task_word.open", Operation::store, std::memory_order_relaxed};
  /// Observes close(): an early consumer reads what the producer wrote.
  static constexpr OrderSite look{"task_word.look", Operation::load, std::memory_order_acquire};
  /// Publishes the node to close(), which walks the list.
  static constexpr OrderSite link{"task_word.link", Operation::update, std::memory_order_release};
  /// Counts a reference that waits for nothing: on a closed word, of which look has observed what
  /// is needed, or for who reads nothing of the task.
  static constexpr OrderSite hold{"task_word.hold", Operation::update, std::memory_order_relaxed};
  /// Lost to a drop. The word was closed when it was looked at, so close() has been observed, and
  /// the orchestrator reads nothing that the drop publishes before it has observed the watermark.
  static constexpr OrderSite lost{"task_word.lost", Operation::load, std::memory_order_relaxed};
  /// Publishes the task's results to early consumers, observes the nodes of link, and takes part
  /// in the order of "consumed" against "watermark moved" (watermark.hpp).
  static constexpr OrderSite close{"task_word.close", Operation::update, std::memory_order_seq_cst};
  /// Publishes the consumer's reads to whoever recycles the producer; same partner as close.
  static constexpr OrderSite drop{"task_word.drop", Operation::update, std::memory_order_seq_cst};
  /// The slot-word load of the advance; partner of close and drop.
  static constexpr OrderSite consumed{"task_word.consumed", Operation::load,
                                      std::memory_order_seq_cst};
  /// For reports and asserts only.
  static constexpr OrderSite inspect{"task_word.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

template <Policy P>
class TaskWord {
 public:
  using Orders = TaskWordOrders;

  /// Starts task `id` in this slot with two references, its own and its scope's. The former task
  /// must be consumed and the watermark past it.
  void open(TaskId id) { word_.store(id_bits(id) | 2, P::order(Orders::open)); }

  /// Claims this producer for a consumer that owns node `node_id`. The node's consumer is set by
  /// the caller; its next is set here. `id` names the producer and must be the slot's task.
  /// `retries` grows by the attempts that a drop or the close spoilt.
  [[nodiscard]] Claim claim(TaskId id, NodeId node_id, DependencyNode<P>& node, uint64_t& retries) {
    uint64_t word = word_.load(P::order(Orders::look));
    for (;; ++retries) {
      // One comparison: the word is this task's, open, and has room for a reference.
      const uint64_t rest = word & ~head_mask;
      if (rest - id_bits(id) >= max_references) return claim_closed(id, word, retries);
      node.next.write(head_of(word));
      if (word_.compare_exchange_strong(word, rest + head_bits(node_id) + 1, P::order(Orders::link),
                                        P::order(Orders::look))) {
        return Claim::linked;
      }
    }
  }

  /// Takes a reference for a task that uses the buffer of this one and does not wait for it. `id`
  /// must be the slot's task, and its scope open, so that it is not consumed.
  void hold(TaskId id) {
    const uint64_t before = word_.fetch_add(1, P::order(Orders::hold));
    PTO2_INVARIANT("TW-I4", (before & id_mask) == id_bits(id));
    PTO2_INVARIANT("TS-I4", (before & count_mask) != 0);
    PTO2_INVARIANT("TW-I1", (before & count_mask) < max_references);
  }

  /// Completes the task and drops its own reference, in one step.
  [[nodiscard]] Closed close() {
    const uint64_t before = word_.fetch_add(closed_bit - 1, P::order(Orders::close));
    PTO2_INVARIANT("TS-I1", (before & closed_bit) == 0);
    PTO2_INVARIANT("TW-I1", (before & count_mask) != 0);
    return {head_of(before), (before & count_mask) == 1};
  }

  /// Drops one reference. True if the task is consumed by it.
  [[nodiscard]] bool drop() {
    const uint64_t before = word_.fetch_sub(1, P::order(Orders::drop));
    if ((before & count_mask) > 1) return false;
    PTO2_INVARIANT("TW-I1", (before & count_mask) != 0);
    return (before & closed_bit) != 0;
  }

  /// True if the slot holds task `id` and that task is consumed.
  [[nodiscard]] bool is_consumed(TaskId id) const {
    const uint64_t word = word_.load(P::order(Orders::consumed));
    return (word & ~head_mask) == (id_bits(id) | closed_bit);
  }

  /// Phase of task `id`, which must be or have been the slot's task. Ready is not told from
  /// initial: the fan-in knows it.
  [[nodiscard]] Phase phase(TaskId id) const {
    const uint64_t word = word_.load(P::order(Orders::inspect));
    if ((word & id_mask) != id_bits(id)) return Phase::consumed;
    if (!(word & closed_bit)) return Phase::initial;
    return (word & count_mask) == 0 ? Phase::consumed : Phase::completed;
  }

  /// References of task `id`; 0 if the slot holds another task.
  [[nodiscard]] uint32_t references(TaskId id) const {
    const uint64_t word = word_.load(P::order(Orders::inspect));
    return (word & id_mask) == id_bits(id) ? static_cast<uint32_t>(word & count_mask) : 0;
  }

  /// True if the word is one that the verbs can leave behind: fresh, closed, or open with a
  /// reference (TW-I1).
  [[nodiscard]] bool invariant_holds() const {
    const uint64_t word = word_.load(P::order(Orders::inspect));
    return word == 0 || (word & closed_bit) != 0 || (word & count_mask) != 0;
  }

 private:
  static constexpr uint32_t count_bits = 20;
  static constexpr uint32_t head_shift = count_bits + 1;
  static constexpr uint32_t id_shift = head_shift + entry_bits;
  static constexpr uint64_t count_mask = (uint64_t{1} << count_bits) - 1;
  static constexpr uint64_t closed_bit = uint64_t{1} << count_bits;
  static constexpr uint64_t head_mask = ((uint64_t{1} << entry_bits) - 1) << head_shift;
  static constexpr uint64_t id_mask = ~uint64_t{0} << id_shift;
  static_assert(64 - id_shift > entry_index_bits, "an id must tell a slot's tasks apart");
  static_assert(max_references == count_mask);

  /// Claims task `id`, which was found closed: `word`.
  Claim claim_closed(TaskId id, uint64_t word, uint64_t& retries) {
    for (;; ++retries) {
      const uint64_t count = (word & ~head_mask) - (id_bits(id) | closed_bit);
      if (count == 0) return Claim::none;
      PTO2_INVARIANT("TW-I4", count < max_references || (word & id_mask) == id_bits(id));
      PTO2_INVARIANT("TW-I1", count < max_references);
      if (word_.compare_exchange_strong(word, word + 1, P::order(Orders::hold),
                                        P::order(Orders::lost))) {
        return Claim::early;
      }
    }
  }

  static constexpr uint64_t id_bits(TaskId id) { return local_of(id) << id_shift; }
  static constexpr uint64_t head_bits(NodeId node) { return uint64_t{node.value} << head_shift; }
  static constexpr NodeId head_of(uint64_t word) {
    return {static_cast<uint32_t>((word & head_mask) >> head_shift)};
  }

  // A fresh slot counts as consumed by a task that never was, which is_consumed cannot confuse
  // with task 0: that one is opened before any watermark can reach it.
  typename P::template atomic<uint64_t> word_{0};
};

}  // namespace pto2
