/// A producer notifies two consumers in two rings; the one notified first completes, is reclaimed,
/// and its only node goes to a further task, linked to the consumer not yet notified. LC-I2, DP-I1.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class NodeReuse : public Graph<P, F, 3> {
 public:
  static constexpr std::array reaches{"the orchestrator looks again", "a consumer is linked",
                                      "a consumer is early"};

  NodeReuse() : Graph<P, F, 3>({.tasks = 4, .rings = 2, .nodes = 1}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({}, 0);
    this->submit({0}, 0);
    this->submit({0}, 1);
    this->end_scope(2, 2);
    this->submit({1}, 1);
    this->end_scope(0, 1);
    this->end_scope(3, 3);
  }
};

}  // namespace pto2::scenarios
