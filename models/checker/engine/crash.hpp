#pragma once

#include <cstdint>
#include <string>

#include "models/checker/engine/event.hpp"

namespace pto2::model::engine {

/// How a thread of the program went down. Noted by a signal's handler, which may not allocate.
struct Crash {
  enum class Cause : std::uint8_t { none, hang, signal, terminate, exit, quick_exit };

  Cause cause = Cause::none;
  int signal = 0;
  bool has_address = false;  ///< the signal is about an access to `address`
  const void* address = nullptr;
  char what[160] = {};  ///< of the exception that std::terminate was called with, cut if need be
  ThreadId thread = -1;

  bool ends_process() const { return cause == Cause::exit || cause == Cause::quick_exit; }
};

/// What a report says of it, unless it is a hang.
std::string to_string(const Crash& crash);

}  // namespace pto2::model::engine
