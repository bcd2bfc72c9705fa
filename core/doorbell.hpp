/// The doorbell of a logical thread that has an OS thread to itself: what P::idle() and
/// P::doorbell are made of there.
///
///   state   quiet, rung: a ring that has not been used up, or asleep: the waiter sleeps, or is
///           about to
///
/// Write rights: anybody rings; one thread, the waiter, takes rings and sleeps.
///
///   DB-I1: a ring is remembered until a take uses it up, and the waiter does not sleep meanwhile.
///   DB-I2: what was stored before a ring happens before what follows the take that uses it up.
///
/// All changes are read-modify-writes of one word, so a ring finds a waiter that is asleep, or the
/// waiter that is about to say so finds the ring. Of several rings that one take uses up, the later
/// ones continue the release sequences of the earlier ones. That a sleeper is woken is store
/// buffering: the ringer changes the word and looks for sleepers, the waiter counts itself as one
/// and looks at the word.
///
/// Progress: wait-free, but for sleep(). Limits: one waiter.
#pragma once

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct DoorbellOrders {
  /// Publishes what was stored before, to take; and comes before the look for sleepers, in the
  /// single total order with `sleep`.
  static constexpr OrderSite ring{"doorbell.ring", Operation::update, std::memory_order_seq_cst};
  /// Observes what was stored before the ring; partner of ring.
  static constexpr OrderSite take{"doorbell.take", Operation::update, std::memory_order_acquire};
  /// The waiter says that it sleeps; a ring that comes later in the word's modification order
  /// finds it.
  static constexpr OrderSite fall_asleep{"doorbell.fall_asleep", Operation::update,
                                         std::memory_order_relaxed};
  /// Comes after the waiter was counted as a sleeper; partner of ring.
  static constexpr OrderSite sleep{"doorbell.sleep", Operation::load, std::memory_order_seq_cst};
  /// Looks that decide nothing: of polls, reports and asserts, and where an update fails.
  static constexpr OrderSite inspect{"doorbell.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

template <MemoryPolicy P>
class Doorbell {
 public:
  using Orders = DoorbellOrders;

  /// From any thread. What the waiter waits for has been stored.
  void ring() {
    if (state_.exchange(rung, P::order(Orders::ring)) == asleep) state_.notify_one();
  }

  /// The waiter's. Uses up the rings that have come; false if there is none.
  [[nodiscard]] bool take() {
    uint32_t expected = rung;
    return state_.compare_exchange_strong(expected, quiet, P::order(Orders::take),
                                          P::order(Orders::inspect));
  }

  /// The waiter's. Returns once a ring has come that no take has used up.
  void sleep() {
    uint32_t expected = quiet;
    (void)state_.compare_exchange_strong(expected, asleep, P::order(Orders::fall_asleep),
                                         P::order(Orders::inspect));
    state_.wait(asleep, P::order(Orders::sleep));
    PTO2_INVARIANT("DB-I1", is_rung());
  }

  /// For polls and reports: whether a ring has come that has not been used up.
  [[nodiscard]] bool is_rung() const { return state_.load(P::order(Orders::inspect)) == rung; }

 private:
  static constexpr uint32_t quiet = 0;
  static constexpr uint32_t rung = 1;
  static constexpr uint32_t asleep = 2;

  alignas(cache_line) typename P::sleep_word state_{quiet};
};

}  // namespace pto2
