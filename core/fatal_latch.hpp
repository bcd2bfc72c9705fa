/// The fatal latch: the first fatal condition of a run, which every wait polls.
///
///   FA-I1: one condition is latched per run, the first.
///   FA-I2: its details happen before anyone sees its code.
#pragma once

#include "core/policy.hpp"

namespace pto2 {

struct FatalLatchOrders {
  /// Elects the one who latches: an update reads the latest value whatever its order, so one alone
  /// finds 0. What it latches is published by set.
  static constexpr OrderSite elect{"fatal_latch.elect", Operation::update,
                                   std::memory_order_relaxed};
  /// Publishes the details; partner of look.
  static constexpr OrderSite set{"fatal_latch.set", Operation::store, std::memory_order_release};
  /// Observes the details; partner of set.
  static constexpr OrderSite look{"fatal_latch.look", Operation::load, std::memory_order_acquire};
  /// For asserts only.
  static constexpr OrderSite inspect{"fatal_latch.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

/// `Details` is plain data that describes the condition.
template <Policy P, class Details>
class FatalLatch {
 public:
  /// Latches `code` (not 0) with its details. False if another condition was first.
  bool latch(int32_t code, const Details& details) {
    if (elected_.exchange(1, P::order(FatalLatchOrders::elect)) != 0) return false;
    details_.write(details);
    code_.store(code, P::order(FatalLatchOrders::set));
    return true;
  }

  /// The latched code, 0 while there is none.
  [[nodiscard]] int32_t code() const { return code_.load(P::order(FatalLatchOrders::look)); }
  [[nodiscard]] bool is_set() const { return code() != 0; }

  /// Requires is_set().
  [[nodiscard]] Details details() const { return details_.read(); }

  /// True if whoever was elected also set a code. Requires that no verb is under way.
  [[nodiscard]] bool invariant_holds() const {
    return (elected_.load(P::order(FatalLatchOrders::inspect)) != 0) == is_set();
  }

 private:
  typename P::template atomic<uint32_t> elected_{0};
  typename P::template atomic<int32_t> code_{0};
  typename P::template cell<Details> details_{};
};

}  // namespace pto2
