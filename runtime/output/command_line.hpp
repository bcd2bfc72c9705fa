/// What the command lines of the programs have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// Parses the arguments. Returns a code if nothing is left to do, because help was asked for and
/// has been shown. Throws CliError: usage, which names the help of the command that was called, or
/// bad input where the help cannot be written.
[[nodiscard]] std::optional<ExitCode> parse_command_line(CLI::App& app, int argc, char** argv);

/// Throws CliError (usage) for one of these options that is there and empty, which is what an unset
/// variable of a script leaves behind.
void refuse_empty(const CLI::App& command, std::initializer_list<const char*> options);

/// For options that take a whole number in decimal digits, both ends included. To give to
/// Option::transform(): CLI11 itself takes 010 for 8, so that what it is handed has no zeros in
/// front.
[[nodiscard]] CLI::Validator whole_number_in(uint64_t least, uint64_t most);
/// For options that take a time; `most` may be infinite, the time may not.
[[nodiscard]] CLI::Validator seconds_in(double least, double most);
/// For options that take one of these words.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& names);

}  // namespace pto2::cli
