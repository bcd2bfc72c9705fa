/// Back-pressure of the dependency pool, two nodes per task out of three: they wrap around its
/// end. DP-I1, DP-I2, DP-I3.
#pragma once

#include "models/task_life_cycle/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PoolTwoProducers : public Graph<P, F, 2> {
 public:
  static constexpr uint32_t tasks = sized<P>(5, 6);

  PoolTwoProducers() : Graph<P, F, 2>({.tasks = tasks, .nodes = 3}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({});
    this->submit({});
    this->submit({0, 1});
    this->end_scope(0, 2);
    this->submit({2});
    this->submit({2, 3});
    this->end_scope(3, 4);
    if (tasks == 5) return;
    this->submit({3, 4});
    this->end_scope(5, 5);
  }
};

}  // namespace pto2::scenarios
