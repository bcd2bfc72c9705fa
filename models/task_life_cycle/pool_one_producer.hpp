/// Back-pressure of the dependency pool, one node per task: the wait may outlive the producer.
/// DP-I1, DP-I2, AD-I1.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PoolOneProducer : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"the orchestrator looks again", "a consumer is linked",
                                      "a consumer is early"};

  PoolOneProducer() : Graph<P, F, 2>({.tasks = 4, .nodes = 1}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({});
    this->submit({0});
    this->end_scope(0, 1);
    this->submit({1});
    this->submit({2});
    this->end_scope(2, 3);
  }
};

}  // namespace pto2::scenarios
