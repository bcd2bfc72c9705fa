/// A scope within the outer one, with a ring of its own, ends before its task has completed, or
/// after it. TS-I2, LC-I3, WM-I3.
///
/// Explored with: word lock
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class NestedScope : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"an inner scope ends before its task",
                                      "an inner scope ends after its task"};

  NestedScope() : WholeRuntime<P, F>({.rings = 2}) {}

 private:
  void submit_graph() override {
    const uint32_t outer = this->tensor();
    this->task({}, outer);
    this->begin_scope();
    this->task({outer}, this->tensor());
    this->end_scope();
  }
};

}  // namespace pto2::scenarios
