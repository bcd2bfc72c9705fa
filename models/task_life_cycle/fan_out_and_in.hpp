/// A larger mix for schedules drawn by chance: diamonds over two rings, three workers, nested
/// scopes that end before, while and after their tasks run. All of the life cycle's invariants.
///
/// Explored with: word
#pragma once

#include "models/support/graph.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class FanOutAndIn : public Graph<P, F, 3> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};
  static constexpr uint32_t tasks = sized<P>(4, 12);

  FanOutAndIn() : Graph<P, F, 3>({.tasks = tasks, .rings = 2, .nodes = 6, .heap_units = 5}) {}

  void thread(uint32_t i) {
    if (i != 0) return this->work(i - 1);
    for (uint32_t first = 0; first < tasks; first += 4) {
      if (first == 0) {
        this->submit({}, 0);
      } else {
        this->submit({first - 1, first - 4}, 0);
      }
      this->submit({first}, 1);
      this->submit({first}, 1);
      this->end_scope(first + 1, first + 2);
      this->submit({first, first + 1, first + 2}, 1);
      this->end_scope(first + 3, first + 3);
      this->end_scope(first, first);
    }
  }
};

}  // namespace pto2::scenarios
