/// What the scenarios of runs that are given up share: some tasks are on their way, queued,
/// dispatched, running or completing, when the orchestration fails. Everybody returns; each task
/// has run once or not at all, after its producers; every structure is whole.
#pragma once

#include <stdexcept>

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F, uint32_t schedulers = 1>
class GivenUp : public WholeRuntime<P, F, schedulers> {
 public:
  static constexpr std::array reaches{"a task does not run", "every task runs"};

 protected:
  explicit GivenUp(ErrorCode outcome, const RuntimeShape& shape = {})
      : WholeRuntime<P, F, schedulers>(shape, outcome) {}
  ~GivenUp() = default;

  [[noreturn]] static void throw_something() { throw std::runtime_error("of the scenario"); }
};

}  // namespace pto2::scenarios
