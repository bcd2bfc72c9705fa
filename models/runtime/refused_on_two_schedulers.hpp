/// Two tasks are on their way on two schedulers when a submission is refused: each scheduler gives
/// up by itself. MB-I2, MB-I3, SU-I3, RQ-I1.
#pragma once

#include "models/support/given_up.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class RefusedOnTwoSchedulers : public GivenUp<P, F, 2> {
 public:
  RefusedOnTwoSchedulers() : GivenUp<P, F, 2>(ErrorCode::bad_submission) {}

 private:
  void submit_graph() override {
    this->task({}, this->tensor());
    this->task({}, this->tensor());
    this->refused_task();
  }
};

}  // namespace pto2::scenarios
