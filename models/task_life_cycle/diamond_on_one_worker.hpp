/// A producer, two consumers and their consumer, on one worker: each consumer is linked or early,
/// and the last reference that is dropped may be anybody's. TS-I2, TS-I3, FI-I1, FI-I3.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class DiamondOnOneWorker : public Graph<P, F, 1> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early",
                                      "the scope's drop is the last",
                                      "a consumer's drop is the last"};

  DiamondOnOneWorker() : Graph<P, F, 1>({.tasks = 4, .nodes = 5}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(0);
    this->submit({});
    this->submit({0});
    this->submit({0});
    this->end_scope(0, 0);
    this->submit({1, 2});
    this->end_scope(1, 3);
  }
};

}  // namespace pto2::scenarios
