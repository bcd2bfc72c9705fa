/// Fan-in: how many producers a task still waits for, and one election of who makes it ready.
///
///   pending   producers that have not notified, plus 1 while the orchestrator holds the task
///
/// Write rights: open() and release_hold(): the orchestrator. notify(): the completer of a linked
/// producer, once per edge.
///
///   FI-I1: exactly one call returns true, the one that takes pending to zero; that caller pushes
///          the task. A task without producers is made ready by release_hold().
///   FI-I2: pending never goes below zero.
///   FI-I3: what each producer wrote, and the descriptor that the orchestrator wrote, happens
///          before the push.
///
/// An orchestrator that finds only its own part pending is the last: nobody else writes the word
/// any more until the slot is recycled, so it needs no read-modify-write.
///
/// Progress: each verb is wait-free. Limits: max_producers.
#pragma once

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct FanInOrders {
  /// The orchestrator alone writes it; links and the hold publish it.
  static constexpr OrderSite open{"fan_in.open", Operation::store, std::memory_order_relaxed};
  /// Publishes the descriptor to the last completer, or observes all producers.
  static constexpr OrderSite release_hold{"fan_in.release_hold", Operation::update,
                                          std::memory_order_acq_rel};
  /// Publishes the producer's results to the last one, or observes all others.
  static constexpr OrderSite notify{"fan_in.notify", Operation::update, std::memory_order_acq_rel};
  /// Finds that nobody else is awaited; observes all producers.
  static constexpr OrderSite look{"fan_in.look", Operation::load, std::memory_order_acquire};
  /// Nobody else writes the word until the slot is recycled.
  static constexpr OrderSite clear{"fan_in.clear", Operation::store, std::memory_order_relaxed};
  /// For reports only.
  static constexpr OrderSite inspect{"fan_in.inspect", Operation::load, std::memory_order_relaxed};
};

/// Most producers of one task.
inline constexpr uint32_t max_producers = (uint32_t{1} << 31) - 2;

template <Policy P>
class FanIn {
 public:
  using Orders = FanInOrders;

  /// Expects `producers` notifications, and holds the task.
  void open(uint32_t producers) { pending_.store(producers + 1, P::order(Orders::open)); }

  /// Drops the hold, and the `early` producers that will not notify. True: push the task. Most
  /// tasks await nobody else then, and the orchestrator has the line since open(): a look tells.
  [[nodiscard]] bool release_hold(uint32_t early) {
    const uint32_t own = early + 1;
    if (pending_.load(P::order(Orders::look)) == own) {
      pending_.store(0, P::order(Orders::clear));
      return true;
    }
    return subtract(own, P::order(Orders::release_hold));
  }

  /// One producer completed. True: push the task. No look comes first: the line is mostly
  /// elsewhere, and would be fetched twice.
  [[nodiscard]] bool notify() { return subtract(1, P::order(Orders::notify)); }

  /// Producers (and hold) still awaited.
  [[nodiscard]] uint32_t pending() const { return pending_.load(P::order(Orders::inspect)); }

  /// True if no more is awaited than a task can have (FI-I2).
  [[nodiscard]] bool invariant_holds() const { return pending() <= max_producers + 1; }

 private:
  bool subtract(uint32_t n, std::memory_order order) {
    const uint32_t before = pending_.fetch_sub(n, order);
    if (before > n) return false;
    PTO2_INVARIANT("FI-I2", before == n);
    return true;
  }

  typename P::template atomic<uint32_t> pending_{0};
};

}  // namespace pto2
