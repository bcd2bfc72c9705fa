/// A task and its consumer are on their way when a submission is refused: what completes may make
/// the other ready, which may run or not. MB-I2, MB-I3, SU-I3, FI-I1.
#pragma once

#include "models/support/given_up.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class RefusedAfterChain : public GivenUp<P, F> {
 public:
  RefusedAfterChain() : GivenUp<P, F>(ErrorCode::bad_submission) {}

 private:
  void submit_graph() override {
    const uint32_t first = this->tensor();
    this->task({}, first);
    this->task({first}, this->tensor());
    this->refused_task();
  }
};

}  // namespace pto2::scenarios
