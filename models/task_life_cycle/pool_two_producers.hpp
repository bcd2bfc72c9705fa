/// The two nodes of the last task lie at both ends of the pool, around that of a task which may
/// still be linked. DP-I1, DP-I2, AD-I1.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PoolTwoProducers : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"the orchestrator looks again"};

  PoolTwoProducers() : Graph<P, F, 2>({.tasks = 4, .rings = 2, .nodes = 3}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({}, 0);
    this->submit({0}, 1);
    this->end_scope(1, 1);
    this->submit({0}, 1);
    this->submit({0, 2}, 1);
    this->end_scope(2, 3);
    this->end_scope(0, 0);
  }
};

}  // namespace pto2::scenarios
