/// A stack for the signal handlers of an OS thread: those of a crash, whose own stack may be what
/// overflowed.
#pragma once

#include <csignal>
#include <cstddef>

namespace pto2::executors {

/// While it lives, handlers with SA_ONSTACK run on a stack of its own on the thread that made it.
/// A thread that has such a stack, e.g. from a sanitizer, keeps that one; so does one for which
/// there is no memory.
class SignalStack {
 public:
  SignalStack() noexcept;
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t bytes = std::size_t{64} << 10;
  void* memory_ = nullptr;
};

}  // namespace pto2::executors
