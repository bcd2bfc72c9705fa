/// A logical thread that waits only between its steps, and so needs no stack of its own
/// (host_loops.hpp). Its kernels alone may wait inside of one: then the stack that it is on is its
/// own.
#pragma once

#include <functional>
#include <string>

#include "runtime/executors/after_step.hpp"
#include "runtime/executors/host_loops.hpp"
#include "runtime/executors/logical_thread.hpp"

namespace pto2::executors {

class SteppedThread final : public HostedThread {
 public:
  /// `step` comes once at the begin, and then as it says itself.
  SteppedThread(uint32_t number, std::string name, std::function<AfterStep()> step)
      : HostedThread(Kind::stepped, number, std::move(name), Next::step), step_(std::move(step)) {}

  /// By its host, in the loop that runs.
  [[nodiscard]] AfterStep step() { return step_(); }

  /// Its own, inside of a kernel: goes on in the loop `other` until its host comes back, when it
  /// was rung.
  void wait_in(HostLoops& loops, HostLoop& other) {
    left_ = &loops.running();
    set_next(Next::go_back);
    loops.leave_for(other);
  }
  /// By its host: goes back to where its kernel waits.
  void go_back(HostLoops& loops) {
    set_next(Next::step);
    loops.go_back_to(*left_);
  }

 private:
  std::function<AfterStep()> step_;
  HostLoop* left_ = nullptr;  // where its kernel waits, or did
};

}  // namespace pto2::executors
