/// The drained heap stands in the middle, and the next buffer fits neither behind nor before: it
/// starts over. HR-I4.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class HeapStartOver : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"the drained heap starts over", "the heap wraps"};

  HeapStartOver() : Graph<P, F, 2>({.tasks = 3, .window = 8, .heap_units = 4}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    constexpr std::array<uint32_t, 3> units{2, 3, 1};
    for (uint32_t task = 0; task < 3; ++task) {
      this->submit({}, 0, units[task]);
      this->end_scope(task, task);
    }
  }
};

}  // namespace pto2::scenarios
