/// A producer whose scope has ended, with two consumers that come and go: each meets it running,
/// completed, consumed or reclaimed. TS-I2, TS-I3, TS-I4, LC-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ConsumersOfAnEndedScope : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early",
                                      "a consumer comes too late for an edge"};

  ConsumersOfAnEndedScope() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t produced = this->external_tensor(0);
    this->scoped_task({}, produced);
    for (uint32_t i = 0; i < 2; ++i) this->scoped_task({produced}, this->tensor());
  }
};

}  // namespace pto2::scenarios
