#include "runtime/cli/executor_settings.hpp"

#include <fmt/core.h>

#include <optional>

namespace pto2::cli {
namespace {

/// The setting that has no meaning on executors of other kinds.
std::optional<Setting> own_setting_of(const ExecutorRow& row) {
  if (is_simulated(row.executor)) return Setting::seed;
  if (row.executor == ExecutorKind::packed) return Setting::host_threads;
  return std::nullopt;
}

}  // namespace

std::string executor_names() {
  std::string names;
  for (const ExecutorRow& row : executor_table()) {
    names += (names.empty() ? "" : ",") + std::string(row.name);
  }
  return names;
}

ExecutorOptions executor_of(const Settings& settings) {
  return {.executor = executor_named(settings.text(Setting::executor)),
          .host_threads = static_cast<uint32_t>(settings.number(Setting::host_threads)),
          .seed = settings.number(Setting::seed)};
}

void check_executor_flags(const Settings& settings) {
  const ExecutorRow& chosen = row_of(executor_of(settings).executor);
  const std::optional<Setting> allowed = own_setting_of(chosen);
  for (const ExecutorRow& row : executor_table()) {
    const std::optional<Setting> own = own_setting_of(row);
    if (!own || own == allowed || settings[*own].source != Source::flag) continue;
    throw CliError(exit_usage, fmt::format("--{} has no meaning on executor {}; use --executor {}",
                                           spec_of(*own).name, chosen.name, row.name));
  }
}

}  // namespace pto2::cli
