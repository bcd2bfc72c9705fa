/// What keeps a run from coming to a result, told for the user.
#pragma once

#include <exception>
#include <optional>

#include "runtime/output/exit_codes.hpp"
#include "runtime/output/guarded.hpp"

namespace pto2::cli {

/// For who runs graphs; they outlive the program.
[[nodiscard]] const Remedies& run_remedies();

/// Of what the loader and the simulations throw.
[[nodiscard]] std::optional<CliError> known_error(const std::exception& error);

}  // namespace pto2::cli
