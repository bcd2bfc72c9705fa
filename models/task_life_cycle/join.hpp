/// Two producers on different workers complete side by side; the second one pushes the consumer,
/// which reads the results of both. Whoever wants a lock gets it. FI-I1, FI-I3, FL-I3.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class Join : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early",
                                      "a consumer's drop is the last",
                                      "the scope's drop is the last"};

  Join() : Graph<P, F, 2>({.tasks = 3}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({});
    this->submit({});
    this->submit({0, 1});
    this->end_scope(0, 2);
  }
};

}  // namespace pto2::scenarios
