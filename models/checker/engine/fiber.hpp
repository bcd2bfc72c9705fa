#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>

#include "models/checker/engine/exceptions.hpp"

namespace pto2::model::engine {

/// A stack that runs one body after another. Between bodies it parks, so that starting the next
/// one costs a switch and no set-up.
class Fiber {
 public:
  static constexpr std::size_t default_stack_bytes = 256 * 1024;

  /// `body` runs once per `resume` from the parked state and must not let an exception out.
  Fiber(std::function<void()> body, std::size_t stack_bytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the fiber until it suspends itself or its body returns. Called from outside of fibers.
  void resume();
  /// Returns to the caller of `resume`. Called from this fiber.
  void suspend();
  /// Leaves the body for good, with its frames as they are: nothing is unwound. Called from this
  /// fiber, from anywhere in the body. It is parked then, and must be restarted to be resumed.
  [[noreturn]] void give_up();
  /// The stack takes bodies again, from its beginning, whatever lies on it. Called from outside.
  void restart();
  /// Whether the body is not running.
  bool parked() const { return parked_; }
  bool given_up() const { return given_up_; }
  /// The end of the stack's memory, where the frames of the body begin.
  const void* top() const { return stack_.sp; }
  /// The youngest frame of a suspended body.
  const void* suspended_at() const { return suspended_at_; }
  /// Whether an access to this address means that the stack is used up.
  bool guards(const void* address) const;

 private:
  boost::context::fiber run(boost::context::fiber caller);
  void start();
  void forget_frames();
  const void* bottom() const { return static_cast<const char*>(stack_.sp) - stack_.size; }

  std::function<void()> body_;
  bool parked_ = true;
  bool given_up_ = false;
  bool quit_ = false;
  boost::context::stack_context stack_;
  boost::context::fiber inside_;  // the fiber, while the caller runs
  boost::context::fiber caller_;  // the caller, while the fiber runs
  HandledExceptions exceptions_;  // of whoever is suspended
  const void* suspended_at_ = nullptr;
  void* shadow_stack_ = nullptr;  // AddressSanitizer's handle of whoever is suspended
  const void* caller_bottom_ = nullptr;
  std::size_t caller_size_ = 0;
};

}  // namespace pto2::model::engine
