/// Two threads (roles 1, 2) ring the doorbell of a third one (role 0), each for an event of its
/// own. DB-I1, DB-I2: a take that uses up both rings observes both events.
#pragma once

#include "core/doorbell.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class RingAgainstRing : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"one take uses up both rings"};

  void thread(uint32_t i) { i == 0 ? wait_for_both() : ring(i - 1); }
  void finish() {}

 private:
  void wait_for_both() {
    uint32_t takes = 0;
    while (!has_happened(0) || !has_happened(1)) {
      while (!bell_.take()) bell_.sleep();
      ++takes;
    }
    if (takes == 1) happened<P>("one take uses up both rings");
  }
  [[nodiscard]] bool has_happened(uint32_t event) const {
    return events_[event].load(std::memory_order_relaxed) != 0;
  }

  void ring(uint32_t event) {
    events_[event].store(1, std::memory_order_relaxed);
    bell_.ring();
  }

  Doorbell<P> bell_;
  std::array<typename P::template atomic<uint32_t>, 2> events_{};
};

}  // namespace pto2::scenarios
