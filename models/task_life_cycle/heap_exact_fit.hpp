/// The last of four buffers would fit exactly before the tail: it has to wait, or a full heap would
/// look empty. HR-I2, HL-I2.
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class HeapExactFit : public Graph<P, F, 2> {
 public:
  static constexpr std::array reaches{"the heap wraps", "the orchestrator looks again"};

  HeapExactFit() : Graph<P, F, 2>({.tasks = 4, .window = 8, .heap_units = 4}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    constexpr std::array<uint32_t, 4> units{2, 1, 1, 2};
    for (uint32_t task = 0; task < 4; ++task) {
      this->submit({}, 0, units[task]);
      this->end_scope(task, task);
    }
  }
};

}  // namespace pto2::scenarios
