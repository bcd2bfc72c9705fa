/// What window_held_by_scope and window_held_by_tasks share: three tasks fill the window before a
/// fourth is submitted. `edges` says which of them read from which: bit 0 the second from the
/// first, bits 1 and 2 the third from the first and from the second.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F, uint32_t edges>
class ThreeTasks : public WholeRuntime<P, F> {
 protected:
  using WholeRuntime<P, F>::WholeRuntime;

  void submit_three() {
    const uint32_t first = this->tensor();
    const uint32_t second = this->tensor();
    this->task({}, first);
    std::vector<uint32_t> inputs;
    if (edges & 1) inputs.push_back(first);
    this->task(inputs, second);
    inputs.clear();
    if (edges & 2) inputs.push_back(first);
    if (edges & 4) inputs.push_back(second);
    this->task(inputs, this->tensor());
  }
};

}  // namespace pto2::scenarios
