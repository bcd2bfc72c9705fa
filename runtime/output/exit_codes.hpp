/// What `pto2` returns to its caller, and the exceptions that lead there.
#pragma once

#include <stdexcept>

namespace pto2::cli {

enum ExitCode : int {
  exit_pass = 0,           ///< what was asked for holds
  exit_fail = 1,           ///< wrong result
  exit_usage = 2,          ///< the command line is wrong
  exit_bad_input = 3,      ///< a file, an image or a variable of the environment is
  exit_inconclusive = 4,   ///< nothing was there to check the result against
  exit_runtime_fault = 5,  ///< the run was given up with a named code
  exit_our_bug = 70,       ///< a defect of this program
  exit_interrupted = 130,  ///< SIGINT: Ctrl-C
  exit_terminated = 143,   ///< SIGTERM
};

/// Ends the program with a message and one of the codes above.
class CliError : public std::runtime_error {
 public:
  CliError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace pto2::cli
