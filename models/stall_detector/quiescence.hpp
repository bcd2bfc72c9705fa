/// Two schedulers (roles 1, 2) finish tasks; the orchestrator (role 0) waits until all have.
/// SD-I1, SD-I2, SD-I3: not before the last, with all that they did, and then it does return.
#pragma once

#include "core/stall_detector.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class Quiescence : public Roles<P, 3> {
 public:
  static constexpr uint32_t tasks_each = 2;

  void thread(uint32_t i) { i == 0 ? judge() : finish_tasks(i - 1); }
  void finish() {
    check<P>(detector_.finished() == 2 * tasks_each, "every task is counted");
    check<P>(detector_.invariant_holds(2 * tasks_each), "the counts are whole");
  }

 private:
  void judge() {
    P::await([&] { return detector_.quiescent(2 * tasks_each); });
    for (auto& done : done_) {
      check<P>(done.read() == tasks_each, "what the finishers did is seen");
      done.write(0);
    }
  }

  void finish_tasks(uint32_t s) {
    for (uint32_t task = 1; task <= tasks_each; ++task) {
      done_[s].write(task);
      finished_[s].add(1);
      this->bells[0].ring();
    }
  }

  std::array<FinishedCount<P>, 2> finished_;
  StallDetector<P> detector_{finished_};
  std::array<typename P::template cell<uint32_t>, 2> done_;
};

}  // namespace pto2::scenarios
