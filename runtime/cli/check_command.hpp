/// The program pto2-check beside this one, which holds the model checker.
#pragma once

namespace pto2::cli {

/// Becomes pto2-check with the same arguments; returns only by throwing CliError (bad input).
[[noreturn]] void become_check(char** argv);

}  // namespace pto2::cli
