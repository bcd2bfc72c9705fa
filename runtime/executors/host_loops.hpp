/// The stacks that a host of the packed executor runs on.
///
/// A stepped thread has no stack: its host runs it on its own, in the loop that has picked it. When
/// a kernel waits there, the frames of the loop below it stay where they are, and the host goes on
/// in another loop on another stack, until the kernel goes on. Loops are all alike: whichever a
/// host is in when a kernel returns, it stays in, and the one that has led there is free.
///
/// All of it belongs to one OS thread. A loop is made when a kernel waits, which may have changed
/// the floating point environment for itself: each begins with that in which HostLoops was made.
///
///   HS-I1: a loop runs, or is free, or has a kernel that waits; one runs at a time.
#pragma once

#include <cfenv>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/executors/fiber.hpp"

namespace pto2::executors {

/// One of them, begun or not.
class HostLoop {
 public:
  HostLoop(std::size_t stack_bytes, std::function<void()> body)
      : fiber_(stack_bytes, std::move(body)) {}

 private:
  friend class HostLoops;
  Fiber fiber_;
};

class HostLoops {
 public:
  /// `body` is the loop. It returns once the team is over, when no kernel waits any more. Each time
  /// before a loop goes on `enters` is called with TSan's context of it, outside of all.
  HostLoops(std::size_t stack_bytes, std::function<void()> body, void (*enters)(void* context));

  /// On the OS thread's own stack: goes from loop to loop until all have returned.
  void run();

  // By the loop that runs.
  [[nodiscard]] HostLoop& running() const { return *running_; }
  /// Another that nobody is in. Throws std::bad_alloc.
  [[nodiscard]] HostLoop& free_one();
  /// Goes on in free_one(), while this one has a kernel that waits. Returns when some other has
  /// gone back to it.
  void leave_for(HostLoop& other);
  /// Goes back to one that was left; this one is free. Returns when it goes on in its turn.
  void go_back_to(HostLoop& left);

 private:
  void switch_to(HostLoop& next);
  HostLoop& add();

  std::fenv_t floating_point_;
  const std::size_t stack_bytes_;
  const std::function<void()> body_;
  void (*const enters_)(void*);
  std::vector<std::unique_ptr<HostLoop>> loops_;
  std::vector<HostLoop*> free_;  // room for all
  HostLoop* running_ = nullptr;
  HostLoop* next_ = nullptr;
};

}  // namespace pto2::executors
