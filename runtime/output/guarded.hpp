/// How a program ends that did not come to its end: one table from exceptions to exit codes and to
/// what the user can do.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// What a program says when the machine is too small for it.
struct Remedies {
  std::string memory;  ///< "use fewer --jobs"
  std::string thread;  ///< the same, if there can be no more threads
};

/// Says `message` on stderr; returns the code.
int complain(ExitCode code, const std::string& message);

/// What a program knows of its own exceptions: turns them into a CliError.
using KnownErrors = std::function<std::optional<CliError>(const std::exception&)>;

/// What `error` is about and what can be done, by one table for all programs and by `other`, with
/// the exit code of a program that ends for it.
CliError told_of(const std::exception& error, const Remedies& remedies, const KnownErrors& other);

/// Says that on stderr; returns the exit code.
int complain_of(const std::exception& error, const Remedies& remedies, const KnownErrors& other);

/// Memory is out and there may be none for a message: says so, and ends the process.
[[noreturn]] void end_without_memory(const Remedies& remedies);

/// Returns what execute() returns or, if it throws, an exit code, after complain_of(). From here on
/// a file that grows beyond the limit of the process cannot be written, instead of ending it
/// (SIGXFSZ), lack of memory where no exception may pass ends the program as it does elsewhere,
/// unless it is that of code of the user's (whose_lack.hpp), and no file is opened as one of the
/// standard descriptors that are closed; `remedies` outlives the program. The first thing that
/// main() does, before files.
int guarded(const std::function<int()>& execute, const Remedies& remedies,
            const KnownErrors& other = {});

}  // namespace pto2::cli
