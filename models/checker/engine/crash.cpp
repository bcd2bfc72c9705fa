#include "models/checker/engine/crash.hpp"

#include <csignal>
#include <cstdint>
#include <cstring>

namespace pto2::model::engine {

namespace {

constexpr std::uintptr_t null_page_bytes = 4096;

const char* meaning_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return ", an access to memory that is not there or must not be accessed so";
    case SIGBUS:
      return ", an access to memory that cannot be reached";
    case SIGFPE:
      return ", an integer division by zero or without a result";
    case SIGILL:
      return ", an invalid instruction, as __builtin_trap() is one";
    case SIGABRT:
      return ", as from abort() or a failed assert";
    default:
      return "";
  }
}

}  // namespace

std::string to_string(const Crash& crash) {
  if (crash.cause == Crash::Cause::terminate) {
    return std::string("std::terminate was called") +
           (crash.what[0] == 0 ? "" : ", with the exception: ") + crash.what;
  }
  if (crash.ends_process()) {
    return std::string(crash.cause == Crash::Cause::exit ? "exit()" : "quick_exit()") +
           " was called, which ends the process in the middle of its search";
  }
  const char* const name = sigabbrev_np(crash.signal);
  const bool null =
      crash.has_address && reinterpret_cast<std::uintptr_t>(crash.address) < null_page_bytes;
  return std::string("SIG") + (name == nullptr ? "" : name) +
         (null ? ", an access through a null pointer" : meaning_of(crash.signal));
}

}  // namespace pto2::model::engine
