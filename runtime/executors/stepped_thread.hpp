/// A logical thread that waits in one place only, between its steps, and so needs no stack of its
/// own (host_loops.hpp). Only its kernels may wait elsewhere: then the stack that it is on is its
/// own.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "runtime/executors/host_loops.hpp"
#include "runtime/executors/logical_thread.hpp"

namespace pto2::executors {

class SteppedThread final : public HostedThread {
 public:
  /// `step` returns whether it was the last. It comes once at the begin, and after rings.
  SteppedThread(uint32_t number, std::string name, std::function<bool()> step)
      : HostedThread(Kind::stepped, number, std::move(name)), step_(std::move(step)) {}

  /// By its host, in the loop that runs. Whether it has ended thereby.
  [[nodiscard]] bool step() { return step_(); }

  /// Its own, inside of a kernel: goes on in the loop `other` until its host comes back, when it
  /// was rung.
  void wait_in(HostLoops& loops, HostLoop& other) {
    left_ = &loops.running();
    loops.leave_for(other);
  }
  /// By its host: the loop where its kernel waits, which is to be gone back to; null: none does.
  [[nodiscard]] HostLoop* take_left() { return std::exchange(left_, nullptr); }

 private:
  std::function<bool()> step_;
  HostLoop* left_ = nullptr;
};

}  // namespace pto2::executors
