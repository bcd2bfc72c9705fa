/// A thread (role 0) waits on its doorbell for two events, one after the other; another one (role
/// 1) makes them happen and rings after each. DB-I1, DB-I2: the ring alone orders the event before
/// the look of the waiter, and none is lost.
#pragma once

#include "core/doorbell.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class RingAgainstIdle : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"a ring is there already", "a ring ends the sleep",
                                      "one ring tells of both events"};

  void thread(uint32_t i) { i == 0 ? wait_for_all() : ring_for_each(); }
  void finish() {}

 private:
  static constexpr uint32_t events = 2;

  void wait_for_all() {
    uint32_t seen = 0;
    while (seen != events) {
      idle();
      const uint32_t now = events_.load(std::memory_order_relaxed);
      if (now == seen + 2) happened<P>("one ring tells of both events");
      seen = now;
    }
  }

  void idle() {
    if (bell_.take()) return happened<P>("a ring is there already");
    do {
      bell_.sleep();
    } while (!bell_.take());
    happened<P>("a ring ends the sleep");
  }

  void ring_for_each() {
    for (uint32_t event = 1; event <= events; ++event) {
      events_.store(event, std::memory_order_relaxed);
      bell_.ring();
    }
  }

  Doorbell<P> bell_;
  typename P::template atomic<uint32_t> events_{0};
};

}  // namespace pto2::scenarios
