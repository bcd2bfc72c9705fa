/// The parts of a block task: one task of the graph, whose kernel runs once per part.
///
/// The task's *ticket*, its Place, goes round: whoever took it, from a ready queue or wherever
/// it was handed over, claims parts for as many cores as it has, and passes it on if parts are
/// left. So several schedulers work on one task, and no two claim at once.
///
///   books    how many parts there are, and how many of them were claimed: in order, from 0
///   pending  parts that have not ended
///
/// Write rights: open(): the orchestrator, before the first hand-over of the ticket. claim(): who
/// holds the ticket. end(): whoever observed the end of a part, once per part.
///
///   BP-I1: each part is claimed exactly once.
///   BP-I2: the task completes exactly once, when its last part has ended: by whoever end() tells.
///   BP-I3: what every part did happens before that completion.
///   BP-I4: who passed the ticket on, or claimed the last part, touches the books no more, and who
///          ended a part that was not the last nothing at all: the slot may have its next task.
///   BP-P1: a block task has at least one part.
///
/// Progress: claim() is plain accesses, end() one atomic operation. The hand-over is that of the
/// queue.
#pragma once

#include <algorithm>

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct BlockPartsOrders {
  /// The orchestrator alone writes it; the hand-over of the ticket publishes it.
  static constexpr OrderSite open{"block_parts.open", Operation::store, std::memory_order_relaxed};
  /// Publishes the part's results to the completer, or observes those of all others.
  static constexpr OrderSite end{"block_parts.end", Operation::update, std::memory_order_acq_rel};
  /// For asserts only.
  static constexpr OrderSite inspect{"block_parts.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

/// Parts first .. first + count - 1 were claimed; `last`: none is left, and the ticket is used up.
struct ClaimedParts {
  uint32_t first;
  uint32_t count;
  bool last;
};

template <Policy P>
class BlockParts {
 public:
  using Orders = BlockPartsOrders;

  /// Starts a block task of `parts` parts, of which none is claimed. All parts of the slot's former
  /// one must have ended.
  void open(uint32_t parts) {
    PTO2_INVARIANT("BP-P1", parts >= 1);
    PTO2_INVARIANT("BP-I4", ended());
    books_.write({parts, 0});
    pending_.store(parts, P::order(Orders::open));
  }

  /// The ticket holder's: the next parts, `most` of them or all that are left. None may be claimed
  /// after the last one.
  [[nodiscard]] ClaimedParts claim(uint32_t most) {
    const Books books = books_.read();
    PTO2_INVARIANT("BP-I1", most >= 1 && books.claimed < books.parts);
    const uint32_t count = std::min(most, books.parts - books.claimed);
    books_.write({books.parts, books.claimed + count});
    return {books.claimed, count, books.claimed + count == books.parts};
  }

  /// A part ended. True: it was the last one, the caller completes the task.
  [[nodiscard]] bool end() {
    const uint32_t before = pending_.fetch_sub(1, P::order(Orders::end));
    PTO2_INVARIANT("BP-I2", before >= 1);
    return before == 1;
  }

  /// True if no task is under way: every part has ended.
  [[nodiscard]] bool ended() const { return pending_.load(P::order(Orders::inspect)) == 0; }

  /// True if what has not been claimed has not ended. Requires that no verb is under way.
  [[nodiscard]] bool invariant_holds() const {
    const uint32_t pending = pending_.load(P::order(Orders::inspect));
    if (pending == 0) return true;
    const Books books = books_.read();
    return books.claimed <= books.parts && pending <= books.parts &&
           pending >= books.parts - books.claimed;
  }

 private:
  struct Books {
    uint32_t parts;
    uint32_t claimed;
  };

  typename P::template cell<Books> books_{};
  typename P::template atomic<uint32_t> pending_{0};
};

}  // namespace pto2
