/// The programs beside this one, which have commands of their own.
#pragma once

#include <span>
#include <string_view>

namespace pto2::cli {

/// The program that has the command `name`, which is called with `arguments`; null if it is this
/// one, or nobody's.
[[nodiscard]] const char* program_of(std::string_view name, std::span<char* const> arguments);

/// Becomes `program`, beside this one, with the same arguments; returns only by throwing CliError
/// (bad input).
[[noreturn]] void become(const char* program, char** argv);

}  // namespace pto2::cli
