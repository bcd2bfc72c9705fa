#pragma once

#include <cxxabi.h>

#include <utility>

namespace pto2::model::engine {

/// Unwinds a thread. The memory of one that never gets to its handler, and so is not destroyed, is
/// found at `thrown`.
class Unwind {
 public:
  explicit Unwind(Unwind*& thrown) : thrown_(thrown) { thrown_ = this; }
  ~Unwind() { thrown_ = nullptr; }
  Unwind(const Unwind&) = delete;
  Unwind& operator=(const Unwind&) = delete;

 private:
  Unwind*& thrown_;
};

/// The exceptions that this OS thread has caught and not finished with, and has thrown and not
/// caught. Fibers share them, so whoever gives up the frames of one must take back what they added.
class Exceptions {
 public:
  /// From here on there may be something to take back.
  void begin() { then_ = now(); }
  [[noreturn]] void unwind() { throw Unwind(thrown_); }
  void take_back() {
    while (now().caught != then_.caught) abi::__cxa_end_catch();
    now().uncaught = then_.uncaught;
    // Where GCC 12 has inlined noexcept, it calls std::terminate before the exception is caught.
    if (thrown_ != nullptr) abi::__cxa_free_exception(std::exchange(thrown_, nullptr));
  }

 private:
  /// The Itanium C++ ABI's __cxa_eh_globals (section 2.2.2).
  struct Globals {
    void* caught;
    unsigned uncaught;
  };
  static Globals& now() { return *reinterpret_cast<Globals*>(abi::__cxa_get_globals()); }

  Globals then_ = {};
  Unwind* thrown_ = nullptr;
};

}  // namespace pto2::model::engine
