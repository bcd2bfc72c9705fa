/// One producer, one consumer: linked, early or none, and the scope may end before, between or
/// after the two completions. TS-I3, FI-I1, FI-I3, TW-I3.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class Pair : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early",
                                      "the scope's drop is the last",
                                      "a consumer's drop is the last", "closing is the last drop"};

  Pair() : Graph<P, F, 2>({.tasks = 2}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({});
    this->submit({0});
    this->end_scope(0, 1);
  }
};

}  // namespace pto2::scenarios
