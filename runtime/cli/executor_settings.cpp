#include "runtime/cli/executor_settings.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace pto2::cli {
namespace {

/// A setting that has a meaning on some executors alone.
struct OwnSetting {
  Setting setting;
  bool (*is_of)(ExecutorKind);
};

constexpr OwnSetting own_settings[] = {
    {Setting::seed, is_simulated},
    {Setting::host_threads, [](ExecutorKind kind) { return kind == ExecutorKind::packed; }}};

/// What runs weak memory is compiled with the word alone.
void check_fan_out(const Settings& settings, const ExecutorRow& chosen) {
  const SettingValue& fan_out = settings[Setting::fan_out];
  if (!chosen.weak_memory || fan_out.text == fan_out_name(FanOutKind::word)) return;
  std::string others;
  for (const ExecutorRow& row : executor_table()) {
    if (!row.weak_memory) others += (others.empty() ? "" : ", ") + std::string(row.name);
  }
  const SettingValue& culprit = culprit_of(fan_out, settings[Setting::executor]);
  throw CliError(culprit.error_code(),
                 fmt::format("{}: executor {} runs the fan-out word alone; {} is for {}",
                             culprit.place(), chosen.name, fan_out.text, others));
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
  for (const OwnSetting& own : own_settings) {
    if (own.is_of(chosen.executor) || settings[own.setting].source != Source::flag) continue;
    const auto table = executor_table();
    const auto other = std::ranges::find_if(table, own.is_of, &ExecutorRow::executor);
    throw CliError(exit_usage, fmt::format("--{} has no meaning on executor {}; use --executor {}",
                                           spec_of(own.setting).name, chosen.name, other->name));
  }
  check_fan_out(settings, chosen);
}

}  // namespace pto2::cli
