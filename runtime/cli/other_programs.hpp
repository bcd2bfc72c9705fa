/// The programs beside this one, which have commands of their own.
#pragma once

#include <string_view>

namespace pto2::cli {

/// The program that has the command `name`, whose first argument is `argument` (empty: none); null
/// if it is this one, or nobody's.
[[nodiscard]] const char* program_of(std::string_view name, std::string_view argument);

/// Becomes `program`, beside this one, with the same arguments; returns only by throwing CliError
/// (bad input).
[[noreturn]] void become(const char* program, char** argv);

}  // namespace pto2::cli
