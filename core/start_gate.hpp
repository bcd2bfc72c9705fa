/// The gate at the start of a run. It holds the OS threads of a team until all of them exist: the
/// bodies wait for each other, so none may begin when the system refuses a later one.
///
///   state   closed; then open or given up, which is final
///
/// Write rights: whoever starts the threads decides, once.
///
///   SG-I1: nobody begins before the gate is open, and nobody at all if the team is given up.
///   SG-I2: after the decision nobody sleeps at the gate.
///   SG-I3: what was done before the decision happens before what those do who wait for it.
///   SG-P1: the gate is decided once.
///
/// SG-I2 is store buffering: who decides changes the state and looks for sleepers; who waits counts
/// itself as a sleeper and looks at the state. A mere store of the decision is not ordered before
/// the look.
///
/// Progress: decide() is wait-free.
#pragma once

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct StartGateOrders {
  /// Publishes what was done before; and comes before the look for sleepers, in the single total
  /// order with `wait`.
  static constexpr OrderSite decide{"start_gate.decide", Operation::update,
                                    std::memory_order_seq_cst};
  /// Observes what was done before; comes after the caller was counted as a sleeper. Partner of
  /// decide.
  static constexpr OrderSite wait{"start_gate.wait", Operation::load, std::memory_order_seq_cst};
  /// Which decision it was; the wait has seen that there is one, which is final.
  static constexpr OrderSite read{"start_gate.read", Operation::load, std::memory_order_relaxed};
};

template <MemoryPolicy P>
class StartGate {
 public:
  using Orders = StartGateOrders;

  /// Returns when it is decided. True: begin; false: the team is given up.
  [[nodiscard]] bool wait() {
    state_.wait(closed, P::order(Orders::wait));
    const uint32_t decision = state_.load(P::order(Orders::read));
    PTO2_INVARIANT("SG-I1", decision != closed);
    return decision == open;
  }

  void decide(bool begin) {
    const uint32_t before = state_.exchange(begin ? open : given_up, P::order(Orders::decide));
    PTO2_INVARIANT("SG-P1", before == closed);
    state_.notify_all();
  }

 private:
  static constexpr uint32_t closed = 0;
  static constexpr uint32_t open = 1;
  static constexpr uint32_t given_up = 2;

  typename P::sleep_word state_{closed};
};

}  // namespace pto2
