/// Edges from the outer ring to the inner one and back. No order of tasks shields a slot here: the
/// producer's is recycled as soon as its consumer, in the other ring, has completed. LC-I1, LC-I4.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class PairAcrossRings : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early",
                                      "a consumer's drop is the last"};

  PairAcrossRings() : Graph<P, F, 2>({.tasks = 4, .rings = 2, .window = 2}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({}, 0);
    this->submit({0}, 1);
    this->end_scope(1, 1);
    this->end_scope(0, 0);
    this->submit({1}, 0);
    this->end_scope(2, 2);
    this->submit({2}, 1);
    this->end_scope(3, 3);
  }
};

}  // namespace pto2::scenarios
