/// Other programs that are run for their output.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace pto2::scenarios {

/// Runs a program (its path and arguments) and returns what it writes to stdout; what it writes to
/// stderr is thrown away. It is killed when a stop is requested, or when the calling thread ends,
/// however that comes about. A program that cannot be executed writes nothing. Throws
/// std::runtime_error if no process can be had.
std::string output_of(std::vector<std::string> command, const std::stop_token& stop);

}  // namespace pto2::scenarios
