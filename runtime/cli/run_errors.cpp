#include "runtime/cli/run_errors.hpp"

#include <fmt/core.h>

#include "runtime/executors/seeded_team.hpp"
#include "runtime/loader/load_error.hpp"

namespace pto2::cli {

const Remedies& run_remedies() {
  static const Remedies remedies{
      .memory =
          "the rings, buffers or inputs are larger than what this process may have; use a "
          "smaller --heap, --window, --dep-pool, --tensormap-pool, --trace-events or case",
      .thread = "check the limits of this process (ulimit -a)"};
  return remedies;
}

std::optional<CliError> known_error(const std::exception& error) {
  if (dynamic_cast<const LoadError*>(&error) != nullptr) {
    return CliError(exit_bad_input, error.what());
  }
  if (dynamic_cast<const executors::SeededFailure*>(&error) != nullptr) {
    return CliError(exit_our_bug, fmt::format("the schedule found a bug of the runtime: {}; report "
                                              "it with the command line",
                                              error.what()));
  }
  return std::nullopt;
}

}  // namespace pto2::cli
