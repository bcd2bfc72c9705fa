/// One task, which is ready at once. SU-I1, SU-I2, SU-I3, MB-I1, MB-I2, MB-I3.
///
/// Explored with: word lock
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class SingleTask : public WholeRuntime<P, F> {
 public:
  SingleTask() : WholeRuntime<P, F>({}) {}

 private:
  void submit_graph() override { this->task({}, this->tensor()); }
};

}  // namespace pto2::scenarios
