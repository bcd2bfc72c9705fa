/// A completer (role 0) consumes a task by closing it, and may not be out of it yet while the
/// orchestrator (role 1), which has found it consumed, starts the slot's next task and ends the
/// scope of that, and role 2 closes that one. TS-I1, TS-I3, TS-I4, FL-I1.
#pragma once

#include "core/startup.hpp"
#include "core/task_state.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ReuseAgainstClose : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the scope consumes", "the completer consumes"};
  static constexpr TaskId former = make_id(0, 1);
  static constexpr TaskId id = make_id(0, 5);

  ReuseAgainstClose() {
    slot_.open(former);
    check<P>(!slot_.drop(), "the scope is not the last to hold it");
  }

  void thread(uint32_t i) {
    if (i == 1) return reuse();
    if (i == 2) P::await([&] { return started_.is_set(); });
    const bool consumed = slot_.close().consumed;
    if (i == 2) return count(consumed, "the completer consumes");
    check<P>(consumed, "nobody else holds it");
    this->ring_all();
  }

  void finish() {
    check<P>(consumed_.load(std::memory_order_acquire) == 1, "the next task is consumed once");
    check<P>(slot_.is_consumed(id) && slot_.invariant_holds(), "it is consumed in the end");
  }

 private:
  void reuse() {
    P::await([&] { return slot_.is_consumed(former); });
    slot_.open(id);
    started_.set();
    this->ring_all();
    count(slot_.drop(), "the scope consumes");
  }
  void count(bool consumed, const char* by) {
    if (!consumed) return;
    happened<P>(by);
    consumed_.fetch_add(1, std::memory_order_release);
  }

  F<P> slot_;
  Flag<P> started_;
  typename P::template atomic<uint32_t> consumed_{0};
};

}  // namespace pto2::scenarios
