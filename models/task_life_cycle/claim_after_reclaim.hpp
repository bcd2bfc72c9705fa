/// A consumer in another ring names a producer that may be consumed, and even reclaimed without the
/// orchestrator having looked; its slot then goes to a further task. TS-I4, LC-I4, AD-I2.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ClaimAfterReclaim : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"a producer is consumed before it is claimed",
                                      "a slot is recycled"};

  ClaimAfterReclaim() : Graph<P, F, 2>({.tasks = 4, .rings = 2, .window = 2}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({}, 0);
    this->end_scope(0, 0);
    this->submit({0}, 1);
    this->end_scope(1, 1);
    this->submit({}, 0);
    this->end_scope(2, 2);
    this->submit({}, 0);
    this->end_scope(3, 3);
  }
};

}  // namespace pto2::scenarios
