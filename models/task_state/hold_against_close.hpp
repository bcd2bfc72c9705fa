/// The orchestrator (role 0) holds a task for a later writer of its buffer and ends its scope; the
/// completer (role 1) closes it; the later writer (role 2) writes and drops. TS-I1, TS-I2, TS-I4:
/// whoever comes last consumes the task, and sees what the later writer wrote.
#pragma once

#include "core/startup.hpp"
#include "core/task_state.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class HoldAgainstClose : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the scope consumes", "the completer consumes",
                                      "the later writer consumes"};
  static constexpr TaskId id = make_id(0, 5);

  HoldAgainstClose() { slot_.open(id); }

  void thread(uint32_t i) {
    if (i == 0) return hold();
    if (i == 1) {
      if (slot_.close().consumed) consume("the completer consumes");
      return;
    }
    P::await([&] { return held_.is_set(); });
    buffer_.write(1);
    if (slot_.drop()) consume("the later writer consumes");
  }

  void finish() {
    check<P>(consumed_.load(std::memory_order_acquire) == 1, "it is consumed once");
    check<P>(slot_.is_consumed(id) && slot_.invariant_holds(), "it is consumed in the end");
  }

 private:
  void hold() {
    slot_.hold(id);
    held_.set();
    this->ring_all();
    if (slot_.drop()) consume("the scope consumes");
  }

  /// The buffer is somebody else's now.
  void consume(const char* by) {
    happened<P>(by);
    consumed_.fetch_add(1, std::memory_order_release);
    buffer_.write(2);
  }

  F<P> slot_;
  typename P::template cell<uint32_t> buffer_;
  Flag<P> held_;
  typename P::template atomic<uint32_t> consumed_{0};
};

}  // namespace pto2::scenarios
