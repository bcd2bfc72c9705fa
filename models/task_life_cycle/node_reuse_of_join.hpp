/// As node_reuse, but another producer's completer makes the first consumer ready: the one that
/// walks the list may be anywhere when that consumer's node is reused, linked to the consumer
/// that is next on the list. LC-I2, DP-I1.
///
/// Explored with: word
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class NodeReuseOfJoin : public Graph<P, F, 3> {
 public:
  static constexpr std::array reaches{"the orchestrator looks again", "a consumer is linked",
                                      "a consumer is early"};

  NodeReuseOfJoin()
      : Graph<P, F, 3>({.tasks = 5, .rings = 2, .window = 8, .nodes = 2, .heap_units = 8}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({}, 0);
    this->submit({}, 0);
    this->submit({0, 1}, 1);
    this->end_scope(2, 2);
    this->submit({0}, 0);
    this->submit({3}, 1);
    this->end_scope(4, 4);
    this->end_scope(0, 1);
    this->end_scope(3, 3);
  }
};

}  // namespace pto2::scenarios
