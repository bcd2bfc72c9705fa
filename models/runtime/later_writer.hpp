/// A task allocates a buffer, another writes a part of it as OUTPUT and waits for nobody; their
/// scope ends, and a third task's buffer fits only where the first one lay. TS-I2, LC-I4: it is not
/// placed there before the second has written.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class LaterWriter : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  LaterWriter() : WholeRuntime<P, F>({.heap_units = 4}) {}

 private:
  void submit_graph() override {
    this->begin_scope();
    const uint32_t shared = this->tensor(3);
    this->write_part(shared, 1);
    this->write_part(shared, 0);
    this->end_scope();
    this->task({}, this->tensor(2));
  }
};

}  // namespace pto2::scenarios
