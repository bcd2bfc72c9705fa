/// Other programs that are run to their end, or until their time is up, for what they print.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace pto2::scenarios {

/// What of a program's output is caught; the rest is thrown away.
enum class Catch {
  output,             ///< stdout
  output_and_errors,  ///< stdout and stderr, in the order of the writes
};

struct ChildResult {
  int code = 0;            ///< exit code; 128 + number of the signal that ended it
  bool timed_out = false;  ///< it was killed because its time was up
  std::string text;        ///< the first 16 MiB of what was caught
  double seconds = 0;      ///< from its start to its end
};

/// Runs a program (its path and arguments) in a process group of its own. It is killed after
/// `max_seconds`, when a stop is requested, or when the calling thread ends, however that comes
/// about; with its end, what is left of its group is killed, too. A program that cannot be executed
/// prints nothing and ends with code 127. Throws std::system_error if no process can be had.
ChildResult run_child(std::vector<std::string> command, Catch what, double max_seconds,
                      const std::stop_token& stop);

}  // namespace pto2::scenarios
