/// A block task of two parts for cube cores, of which each scheduler has one: either may take the
/// ticket first, and both may work on it. BP-I1, BP-I2, BP-I4, BP-P2, RQ-I1.
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
  void submit_graph() override { this->block_task(2, {}, this->tensor(2), PTO2_WORKER_CUBE); }
};

}  // namespace pto2::scenarios
