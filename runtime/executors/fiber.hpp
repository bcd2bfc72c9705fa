/// A fiber: a stack of its own, resumed by a host and suspended by itself.
///
/// Thin owner of a boost.context fiber that tells the sanitizers about every switch.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>
#include <utility>

#include "runtime/executors/stack_cache.hpp"

namespace pto2::executors {

class Fiber {
 public:
  enum class Kind {
    coroutine,       ///< what it does and what its hosts do happen one after the other
    logical_thread,  ///< they are unordered, but for what synchronises them: for TSan alone
  };

  /// A suspended fiber that will run `body` on a guarded stack of `stack_bytes`. `body` must not
  /// throw.
  Fiber(std::size_t stack_bytes, std::function<void()> body, Kind kind = Kind::coroutine);
  /// A fiber that began and has not finished is given up: its stack is unmapped, not unwound,
  /// because the frames on it may belong to foreign code that cannot be unwound. What these frames
  /// own is leaked; nobody may look at them any more.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Host side: runs the fiber until it suspends or finishes. Hosts may change between calls.
  void resume();
  /// Fiber side: returns to the host that resumed it.
  void suspend();

  [[nodiscard]] bool finished() const { return finished_; }
  /// That TSan has of it.
  [[nodiscard]] void* tsan_context() const { return stack_.tsan_fiber; }

 private:
  /// A context that is not destroyed with its owner: that would unwind its stack.
  union Kept {
    explicit Kept(boost::context::fiber&& fiber) : context(std::move(fiber)) {}
    ~Kept() {}
    boost::context::fiber context;
  };

  /// What the C++ ABI keeps for an OS thread of the exceptions that it handles: __cxa_eh_globals
  /// (Itanium C++ ABI: Exception Handling, 2.2.2).
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  static Exceptions& exceptions_of_this_thread();
  void swap_exceptions(Exceptions& of_thread);

  boost::context::fiber start();
  boost::context::fiber run(boost::context::fiber host);
  const void* bottom() const { return static_cast<const char*>(stack_.sp) - stack_.size; }

  std::function<void()> body_;
  std::size_t stack_bytes_;
  StackCache::Stack stack_;
  bool begun_ = false;
  bool finished_ = false;
  /// The fiber's while it is suspended, its host's while it runs: a fiber that suspends in a
  /// handler may go on on another OS thread.
  Exceptions exceptions_;

  // What the sanitizers know of the two stacks.
  void* fake_stack_ = nullptr;
  const void* host_bottom_ = nullptr;
  std::size_t host_bytes_ = 0;
  bool switches_order_;
  void* tsan_host_ = nullptr;

  boost::context::fiber host_;
  Kept context_;
};

}  // namespace pto2::executors
