/// The parts of a block task: one task of the graph, whose kernel runs once per part.
///
/// The task's *ticket*, its SlotId, goes from scheduler to scheduler, by a ready queue or wherever
/// it is handed over, until the parts are used up. Parts are given out in one of two ways:
///
///   open     The holder of the ticket lends the task to cores. Those claim its parts one by one,
///            each as soon as it is done with the one before, until none is left.
///   pinned   Each part has a cluster, so nobody claims: each holder of the ticket takes as many
///            parts as belong to its clusters, and sends them to their cores.
///
/// Who works on the task holds a *share* of it: each core that it is lent to, or each pinned part
/// from the start. Whoever gives back the last share completes the task. The ticket has a share as
/// long as nobody else has had one. After that it is no part of the work, and may still be in a
/// queue when the task has completed: until it is given up, the slot must be held for it
/// (task_life_cycle.hpp, hold_ticket()).
///
/// A scheduler that runs parts itself, one at a time between its other duties, leaves the ticket
/// its share with add_share(): between two parts nobody else may have one. Such a ticket ends with
/// the last part, and needs no hold.
///
///   parts    how many there are
///   claimed  how many were claimed or taken; of an open task, at its end, one more for each core
///            that asked in vain
///   shares   those that were not given back
///   lent     whether the ticket's share has gone to a core; the ticket holder's own
///
/// Write rights: open(), open_pinned(): the orchestrator, before the first hand-over of the ticket.
/// lend(), add_share(), take(): who holds the ticket. claim(): a core with a share. give_back():
/// who holds a share, or observed that a core is done with one. In a run that is given up cores may
/// stop to claim: they do not give back their shares, so the task does not complete.
///
///   BP-I1: each part is claimed exactly once; in a run that is given up, at most once.
///   BP-I2: the task completes exactly once, when its last part has ended: by whoever give_back()
///          tells.
///   BP-I3: what every part did happens before that completion.
///   BP-I4: who holds neither a share nor the ticket touches nothing: the slot may have its next
///          task.
///   BP-I5: a task that has completed is lent to nobody.
///   BP-P1: a block task has at least one part.
///   BP-P2: the ticket of an open task is given up only when no part is unclaimed, or when it was
///          lent to as many cores as there are unclaimed parts.
///
/// Progress: each verb but lend() is at most one atomic operation; lend() is lock-free. The
/// hand-over is that of the queue.
#pragma once

#include <optional>

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct BlockPartsOrders {
  /// The orchestrator alone writes them; the hand-over of the ticket publishes them.
  static constexpr OrderSite open{"block_parts.open", Operation::store, std::memory_order_relaxed};
  /// Nothing but the number is passed on: what a part may read was published with the ticket.
  static constexpr OrderSite claim{"block_parts.claim", Operation::update,
                                   std::memory_order_relaxed};
  /// A hint; too large at worst.
  static constexpr OrderSite look{"block_parts.look", Operation::load, std::memory_order_relaxed};
  /// Nothing but the share is passed on.
  static constexpr OrderSite lend{"block_parts.lend", Operation::update, std::memory_order_relaxed};
  /// The lender has a share himself, so nobody can take the number to zero meanwhile.
  static constexpr OrderSite add{"block_parts.add", Operation::update, std::memory_order_relaxed};
  /// Publishes the parts' results to the completer, or observes those of all others.
  static constexpr OrderSite give_back{"block_parts.give_back", Operation::update,
                                       std::memory_order_acq_rel};
  /// For asserts only.
  static constexpr OrderSite inspect{"block_parts.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

template <Policy P>
class BlockParts {
 public:
  using Orders = BlockPartsOrders;

  /// Starts a block task of `parts` parts, of which none is claimed. The ticket has the only share.
  /// All shares in the slot's former task must have been given back.
  void open(uint32_t parts) { open(parts, 1); }
  /// The same with parts that are pinned: each has a share, and the ticket has none.
  void open_pinned(uint32_t parts) { open(parts, parts); }

  /// How many there are.
  [[nodiscard]] uint32_t size() const { return parts_.read(); }

  // An open task.

  /// The ticket holder's: how many parts are left, or some more, as others claim meanwhile.
  [[nodiscard]] uint32_t unclaimed() const {
    const uint32_t claimed = claimed_.load(P::order(Orders::look));
    const uint32_t parts = parts_.read();
    return claimed < parts ? parts - claimed : 0;
  }
  /// The ticket holder's: `cores` cores get a share each, the first time one of them the ticket's.
  /// False: the task has completed, and they get none. BP-I5
  [[nodiscard]] bool lend(uint32_t cores) {
    const bool first = !lent_.read();
    if (first) {
      lent_.write(true);
      PTO2_INVARIANT("BP-I4", !ended());
    }
    const uint32_t added = first ? cores - 1 : cores;
    uint32_t shares = shares_.load(P::order(Orders::look));
    while (shares != 0) {
      if (shares_.compare_exchange_strong(shares, shares + added, P::order(Orders::lend),
                                          P::order(Orders::look))) {
        return true;
      }
    }
    return false;
  }
  /// The ticket holder's: one more share, beside the ticket's own.
  void add_share() {
    const uint32_t before = shares_.fetch_add(1, P::order(Orders::add));
    PTO2_INVARIANT("BP-I4", before >= 1);
  }
  /// A core's: the next part, or none if all are claimed.
  [[nodiscard]] std::optional<uint32_t> claim() {
    PTO2_INVARIANT("BP-I4", !ended());
    const uint32_t part = claimed_.fetch_add(1, P::order(Orders::claim));
    if (part >= parts_.read()) return std::nullopt;
    return part;
  }

  // A pinned one.

  /// The ticket holder's: takes the `count` parts that are its own. True: no others are left, and
  /// the ticket is used up.
  [[nodiscard]] bool take(uint32_t count) {
    const uint32_t claimed = claimed_.fetch_add(count, P::order(Orders::claim)) + count;
    PTO2_INVARIANT("BP-I1", count >= 1 && claimed <= parts_.read());
    return claimed == parts_.read();
  }

  /// True: it was the last share, the caller completes the task.
  [[nodiscard]] bool give_back() {
    const uint32_t before = shares_.fetch_sub(1, P::order(Orders::give_back));
    PTO2_INVARIANT("BP-I2", before >= 1);
    return before == 1;
  }

  /// True if no task is under way: every share was given back.
  [[nodiscard]] bool ended() const { return shares_.load(P::order(Orders::inspect)) == 0; }

  /// True if an ended task has no part that was not claimed. Requires that no verb is under way.
  [[nodiscard]] bool invariant_holds() const {
    return !ended() || claimed_.load(P::order(Orders::inspect)) >= parts_.read();
  }

 private:
  void open(uint32_t parts, uint32_t shares) {
    PTO2_INVARIANT("BP-P1", parts >= 1);
    PTO2_INVARIANT("BP-I4", ended());
    parts_.write(parts);
    lent_.write(false);
    claimed_.store(0, P::order(Orders::open));
    shares_.store(shares, P::order(Orders::open));
  }

  typename P::template cell<uint32_t> parts_{};
  typename P::template cell<bool> lent_{};
  typename P::template atomic<uint32_t> claimed_{0};
  typename P::template atomic<uint32_t> shares_{0};
};

}  // namespace pto2
