/// A block task of three parts, more than one scheduler has cores: either scheduler may take the
/// ticket first, and both may work on it. BP-I1, BP-I2, BP-I4, RQ-I1.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class BlockTaskOnTwoSchedulers : public WholeRuntime<P, F, 2> {
 public:
  static constexpr std::array reaches{"every scheduler dispatches",
                                      "a scheduler dispatches nothing"};

  BlockTaskOnTwoSchedulers() : WholeRuntime<P, F, 2>({}) {}

 private:
  void submit_graph() override { this->block_task(3, {}, this->tensor(3)); }
};

}  // namespace pto2::scenarios
