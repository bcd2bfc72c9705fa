/// Who starts a team (role 0) decides, while two of its threads (roles 1, 2) come to the gate.
/// SG-I1, SG-I2, SG-I3.
#pragma once

#include "core/start_gate.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P, bool begin>
class ThreadsAtTheGate : public Roles<P, 3> {
 public:
  void thread(uint32_t i) { i == 0 ? decide() : come(i - 1); }
  void finish() { check<P>(begun_[0] == begin && begun_[1] == begin, "all begin, or none does"); }

 private:
  void decide() {
    made_before_.write(1);
    gate_.decide(begin);
  }
  void come(uint32_t i) {
    begun_[i] = gate_.wait();
    check<P>(made_before_.read() == 1, "what came before the decision is seen");
  }

  StartGate<P> gate_;
  typename P::template cell<uint32_t> made_before_;
  std::array<bool, 2> begun_{};  // entry i is role i + 1's
};

}  // namespace pto2::scenarios
