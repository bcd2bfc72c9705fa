#pragma once

#include <cxxabi.h>

namespace pto2::model::engine {

/// The exceptions that this OS thread has caught and not finished with, and has thrown and not
/// caught. Fibers share them, so whoever gives up the frames of one must take back what they added.
class ExceptionState {
 public:
  ExceptionState() : then_(now()) {}

  /// Finishes with the exceptions that were caught since.
  void restore() const {
    while (now().caught != then_.caught) abi::__cxa_end_catch();
    now().uncaught = then_.uncaught;
  }

 private:
  /// The Itanium C++ ABI's __cxa_eh_globals (section 2.2.2).
  struct Globals {
    void* caught;
    unsigned uncaught;
  };
  static Globals& now() { return *reinterpret_cast<Globals*>(abi::__cxa_get_globals()); }

  Globals then_;
};

}  // namespace pto2::model::engine
