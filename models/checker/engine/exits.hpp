#pragma once

#include <string>

#include "pto2/checker/report.hpp"

namespace pto2::model::engine {

/// Ends the process, which has begun to end, as a failure: what it owns is about to go, so that no
/// search can go on. Says why on stderr.
[[noreturn]] void end_process(const std::string& program, const Violation& violation);

/// Whether this is the process of the searches, and none that their program has forked: what that
/// does is its own.
bool in_process_of_searches();

/// As long as one exists, in whatever OS thread, a thread of the program that calls exit() or
/// quick_exit() ends the process with a message and a code that say that the search is not done.
/// Any other call does what it does without.
class Exits {
 public:
  Exits();
  ~Exits();
  Exits(const Exits&) = delete;
  Exits& operator=(const Exits&) = delete;
};

}  // namespace pto2::model::engine
