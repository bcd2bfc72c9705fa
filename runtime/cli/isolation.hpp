/// A run in a process of its own, so that a crash can be reported like any other end.
#pragma once

#include <optional>
#include <string>

#include "runtime/device/crash_guard.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/run/error.hpp"

namespace pto2::cli {

/// How the process of a run ended.
struct IsolatedEnd {
  ExitCode code = exit_pass;  ///< that it has chosen, or of a signal that was passed on to it
  RunError error;        ///< without such a code; else its code is `ok`, and nothing is to be said
  bool is_told = false;  ///< of the error: the process has said it on stderr
  std::string warning;   ///< how the process ended behind its result, if that is odd
};

/// Of the process of a run that ended with this status of wait(2), and has left nothing in `word`
/// but which signals a guard would have heard of.
[[nodiscard]] RunError error_of_status(int status, const CrashText& word);

/// Forks. The child, in which nothing is returned, goes on with the run; it ends when its parent
/// does. The parent waits and gets how it ended. The caller must have one thread. Throws
/// std::system_error if there can be no process, or nobody knows how it ended, and std::bad_alloc.
[[nodiscard]] std::optional<IsolatedEnd> isolate();

}  // namespace pto2::cli
