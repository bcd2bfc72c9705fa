/// One task is on its way when a submission is refused. MB-I2, MB-I3, SU-I3.
///
/// Explored with: word lock
#pragma once

#include "models/support/given_up.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class RefusedAfterOne : public GivenUp<P, F> {
 public:
  RefusedAfterOne() : GivenUp<P, F>(ErrorCode::bad_submission) {}

 private:
  void submit_graph() override {
    this->task({}, this->tensor());
    this->refused_task();
    this->task({}, this->tensor());
  }
};

}  // namespace pto2::scenarios
