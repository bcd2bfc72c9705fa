/// The executor that settings name.
#pragma once

#include <string>

#include "runtime/cli/settings.hpp"
#include "runtime/device/executor_table.hpp"

namespace pto2::cli {

/// The names of all, separated by commas.
std::string executor_names();

ExecutorOptions executor_of(const Settings& settings);

/// Throws CliError (usage) if a flag sets what has no meaning on the executor.
void check_executor_flags(const Settings& settings);

}  // namespace pto2::cli
