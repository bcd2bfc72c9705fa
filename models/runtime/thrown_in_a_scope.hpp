/// An exception leaves the orchestration out of an inner scope while its task is on its way: the
/// scope ends without dropping a reference. MB-I2, MB-I3, SU-I3, TW-I1.
#pragma once

#include "models/support/given_up.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ThrownInAScope : public GivenUp<P, F> {
 public:
  ThrownInAScope() : GivenUp<P, F>(ErrorCode::orchestration_threw) {}

 private:
  void submit_graph() override {
    this->begin_scope();
    this->task({}, this->tensor());
    this->throw_something();
  }
};

}  // namespace pto2::scenarios
