/// The scope of a producer ends before its consumer is submitted: closing it may be the drop that
/// consumes it, the consumer may find it open or consumed, and who consumed it has to
/// advance. LC-I3, TS-I2, TS-I3, TS-I4.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class CompletionIsLastDrop : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"closing is the last drop", "a consumer is linked",
                                      "a producer is consumed before it is claimed"};

  CompletionIsLastDrop() : Graph<P, F, 2>({.tasks = 2}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    this->submit({});
    this->end_scope(0, 0);
    this->submit({0});
    this->end_scope(1, 1);
  }
};

}  // namespace pto2::scenarios
