#include "runtime/cli/executor_table.hpp"

#include <fmt/core.h>

#include <optional>
#include <stdexcept>

namespace pto2::cli {
namespace {

struct ExecutorEntry {
  const char* name;
  std::optional<Setting> own;  ///< the setting that has a meaning on this executor alone
  LaunchTeam (*team)(const Settings& settings);
};

LaunchTeam packed(const Settings& settings) {
  return executors::TeamOptions{
      .executor = executors::Executor::packed,
      .host_threads = static_cast<uint32_t>(settings.number(Setting::host_threads))};
}

LaunchTeam threads(const Settings&) {
  return executors::TeamOptions{.executor = executors::Executor::threads};
}

LaunchTeam seeded(const Settings& settings) {
  return executors::SeededOptions{.seed = settings.number(Setting::seed)};
}

constexpr ExecutorEntry table[] = {{"packed", Setting::host_threads, packed},
                                   {"threads", std::nullopt, threads},
                                   {"seeded", Setting::seed, seeded}};

const ExecutorEntry& entry_of(const Settings& settings) {
  for (const ExecutorEntry& entry : table) {
    if (settings.text(Setting::executor) == entry.name) return entry;
  }
  throw std::logic_error("an executor that is no choice of its setting");
}

}  // namespace

std::string executor_names() {
  std::string names;
  for (const ExecutorEntry& entry : table)
    names += (names.empty() ? "" : ",") + std::string(entry.name);
  return names;
}

LaunchTeam team_of(const Settings& settings) {
  return entry_of(settings).team(settings);
}

void check_executor_flags(const Settings& settings) {
  const ExecutorEntry& chosen = entry_of(settings);
  for (const ExecutorEntry& entry : table) {
    if (&entry == &chosen || !entry.own || settings[*entry.own].source != Source::flag) continue;
    throw CliError(exit_usage, fmt::format("--{} has no meaning on executor {}; use --executor {}",
                                           spec_of(*entry.own).name, chosen.name, entry.name));
  }
}

}  // namespace pto2::cli
