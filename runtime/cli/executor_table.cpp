#include "runtime/cli/executor_table.hpp"

#include <fmt/core.h>

#include <optional>
#include <stdexcept>

#include "runtime/device/lock_device.hpp"
#include "runtime/device/weak_device.hpp"

namespace pto2::cli {
namespace {

using executors::Strategy;

struct ExecutorEntry {
  const char* name;
  std::optional<Setting> own;  ///< the setting that has no meaning on all others
  LaunchTeam (*team)(const Settings& settings);
  bool weak_memory = false;
};

LaunchTeam packed(const Settings& settings) {
  return executors::TeamOptions{
      .executor = executors::Executor::packed,
      .host_threads = static_cast<uint32_t>(settings.number(Setting::host_threads))};
}

LaunchTeam threads(const Settings&) {
  return executors::TeamOptions{.executor = executors::Executor::threads};
}

template <Strategy strategy>
LaunchTeam simulated(const Settings& settings) {
  return executors::options_of_seed(settings.number(Setting::seed), strategy);
}

constexpr ExecutorEntry table[] = {{"packed", Setting::host_threads, packed},
                                   {"threads", std::nullopt, threads},
                                   {"seeded", Setting::seed, simulated<Strategy::mixed>},
                                   {"random", Setting::seed, simulated<Strategy::random>, true},
                                   {"pct", Setting::seed, simulated<Strategy::pct>, true},
                                   {"bursts", Setting::seed, simulated<Strategy::bursts>, true}};

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

RunResult launch_on(const Settings& settings, const DeviceConfig& config, const Launch& what) {
  const ExecutorEntry& executor = entry_of(settings);
  const LaunchTeam team = executor.team(settings);
  if (executor.weak_memory) {
    return launch_weak(config, {std::get<executors::SeededOptions>(team), std::nullopt}, what);
  }
  return config.fan_out == FanOutKind::lock ? launch_with_lock(config, team, what)
                                            : launch(config, team, what);
}

void check_executor_flags(const Settings& settings) {
  const ExecutorEntry& chosen = entry_of(settings);
  for (const ExecutorEntry& entry : table) {
    if (entry.own == chosen.own || !entry.own || settings[*entry.own].source != Source::flag) {
      continue;
    }
    throw CliError(exit_usage, fmt::format("--{} has no meaning on executor {}; use --executor {}",
                                           spec_of(*entry.own).name, chosen.name, entry.name));
  }
}

}  // namespace pto2::cli
