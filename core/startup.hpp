/// Start-up and shutdown flags.
///
///   sm_header_ready        orchestrator: the shared memory header can be read
///   init_complete          first scheduler: the one-time initialisation is done
///   orch_pointers_ready    orchestrator: the pointers for parallel mode are set
///   orchestrator_done      orchestrator: no task will follow
///   shutdown               orchestrator: every task has finished, or the run is given up
///
/// The names are the original's. Here everything is made before the threads start, so
/// sm_header_ready and orch_pointers_ready guard nothing: they keep the order of the hand-shake.
///
///   SU-I1: nobody reads what a flag guards before the flag is set.
///   SU-I2: the one-time initialisation is done by exactly one scheduler.
///   SU-I3: a scheduler leaves only at shutdown; then it does leave, when its cores have. That
///          every task has finished is judged by one thread, the orchestrator: two schedulers that
///          finish the last two tasks could each miss the other's.
#pragma once

#include "core/policy.hpp"

namespace pto2 {

struct StartupOrders {
  /// Publishes what the flag guards; partner of look.
  static constexpr OrderSite set{"startup.set", Operation::store, std::memory_order_release};
  /// Observes what the flag guards; partner of set.
  static constexpr OrderSite look{"startup.look", Operation::load, std::memory_order_acquire};
  /// Elects the initialiser; what it initialises is published by set.
  static constexpr OrderSite elect{"startup.elect", Operation::update, std::memory_order_relaxed};
  /// For asserts only.
  static constexpr OrderSite inspect{"startup.inspect", Operation::load, std::memory_order_relaxed};
};

/// A flag that is set once per run.
template <Policy P>
class Flag {
 public:
  void set() { value_.store(1, P::order(StartupOrders::set)); }
  [[nodiscard]] bool is_set() const { return value_.load(P::order(StartupOrders::look)) != 0; }

 private:
  typename P::template atomic<uint32_t> value_{0};
};

template <Policy P>
class Startup {
 public:
  Flag<P> sm_header_ready;
  Flag<P> init_complete;
  Flag<P> orch_pointers_ready;
  Flag<P> orchestrator_done;
  Flag<P> shutdown;

  /// True for exactly one caller, who then initialises and sets init_complete.
  [[nodiscard]] bool elect_initialiser() {
    return elected_.exchange(1, P::order(StartupOrders::elect)) == 0;
  }

  /// True if no flag was set before those that come before it. Requires that no verb is under way.
  [[nodiscard]] bool invariant_holds() const {
    const bool elected = elected_.load(P::order(StartupOrders::inspect)) != 0;
    return (!elected || sm_header_ready.is_set()) && init_complete.is_set() == elected &&
           (!orch_pointers_ready.is_set() || init_complete.is_set()) &&
           (!shutdown.is_set() || orchestrator_done.is_set());
  }

 private:
  typename P::template atomic<uint32_t> elected_{0};
};

}  // namespace pto2
