/// `pto2 check` and `pto2 replay`: the program pto2-check beside this one, which holds the model
/// checker.
#pragma once

#include <string_view>

namespace pto2::cli {

bool is_check_command(std::string_view command);

/// Becomes pto2-check with the same arguments; returns only by throwing CliError (bad input).
[[noreturn]] void become_check(char** argv);

}  // namespace pto2::cli
