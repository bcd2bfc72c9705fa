/// The executor that settings name.
#pragma once

#include <string>

#include "runtime/cli/settings.hpp"
#include "runtime/device/executor_table.hpp"

namespace pto2::cli {

/// The names of all, separated by commas.
std::string executor_names();

ExecutorOptions executor_of(const Settings& settings);

/// Throws CliError if a flag sets what has no meaning on the executor, or if the executor does not
/// run the fan-out, whoever has set the two.
void check_executor_flags(const Settings& settings);

}  // namespace pto2::cli
