#pragma once

#include <cxxabi.h>

#include <utility>

namespace pto2::model::engine {

/// Unwinds a thread. The memory of one that never gets to its handler, and so is not destroyed, is
/// found at `thrown`.
class Unwind {
 public:
  explicit Unwind(Unwind*& thrown) : thrown_(thrown) { thrown_ = this; }
  ~Unwind() {
    if (thrown_ == this) thrown_ = nullptr;
  }
  Unwind(const Unwind&) = delete;
  Unwind& operator=(const Unwind&) = delete;

 private:
  Unwind*& thrown_;
};

/// The exceptions that a thread has caught and not finished with, and has thrown and not caught:
/// the Itanium C++ ABI's __cxa_eh_globals (section 2.2.2). The C++ runtime keeps them per OS
/// thread; each fiber has its own.
struct HandledExceptions {
  void* caught = nullptr;
  unsigned uncaught = 0;

  /// Those of whoever runs on this OS thread.
  static HandledExceptions& now() {
    return *reinterpret_cast<HandledExceptions*>(abi::__cxa_get_globals());
  }
};

class Exceptions {
 public:
  [[noreturn]] void unwind() { throw Unwind(thrown_); }
  /// The frames of the running fiber are given up, with what they have caught and thrown.
  void take_back() {
    while (HandledExceptions::now().caught != nullptr) abi::__cxa_end_catch();
    HandledExceptions::now().uncaught = 0;
    // Where GCC 12 has inlined noexcept, it calls std::terminate before the exception is caught.
    if (thrown_ != nullptr) abi::__cxa_free_exception(std::exchange(thrown_, nullptr));
  }

 private:
  Unwind* thrown_ = nullptr;
};

}  // namespace pto2::model::engine
