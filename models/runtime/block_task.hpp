/// A block task of three parts on two cores, and a task that reads what each part wrote. Either
/// core may run the third part, or one of them all. BP-I1, BP-I2, BP-I3, FI-I3.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class BlockTask : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"one core runs every part", "several cores run parts"};

  BlockTask() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override {
    const uint32_t parts = this->tensor(3);
    this->block_task(3, {}, parts);
    this->task({parts}, this->tensor());
  }
};

}  // namespace pto2::scenarios
