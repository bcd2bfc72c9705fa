#include "runtime/cli/settings.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/cli/platform.hpp"
#include "runtime/cli/setting_values.hpp"

namespace pto2::cli {
namespace {

/// The canonical text of a value; nothing if the setting does not allow it.
std::optional<std::string> canonical(const SettingSpec& spec, const std::string& text) {
  switch (spec.kind) {
    case ValueKind::text:
      if (text.empty()) return std::nullopt;
      return text;
    case ValueKind::choice: {
      const std::string list = fmt::format(",{},", spec.choices);
      if (text.empty() || text.find(',') != std::string::npos) return std::nullopt;
      if (list.find("," + text + ",") == std::string::npos) return std::nullopt;
      return text;
    }
    case ValueKind::platform:
      if (!is_platform(text)) return std::nullopt;
      return text;
    case ValueKind::count:
    case ValueKind::size: {
      const auto value = spec.kind == ValueKind::size ? parse_size(text) : parse_count(text);
      if (!value || *value < spec.low || *value > spec.high) return std::nullopt;
      if (spec.power_of_two && (*value & (*value - 1)) != 0) return std::nullopt;
      return std::to_string(*value);
    }
    case ValueKind::option:
      if (!workloads::parse_option(spec.option->kind, text)) return std::nullopt;
      return text;
  }
  return std::nullopt;
}

SettingValue checked(const SettingSpec& spec, SettingValue value) {
  if (auto text = canonical(spec, value.text)) {
    value.text = *std::move(text);
    return value;
  }
  throw CliError(
      value.error_code(),
      fmt::format(
          "{}: '{}' is not allowed; it must be {}{}", value.place(), value.text,
          allowed_values(spec),
          spec.kind == ValueKind::size ? ", plain or with K, M or G for 2^10, 2^20, 2^30" : ""));
}

GuardKind guard_named(const std::string& name) {
  if (name == guard_name(GuardKind::off)) return GuardKind::off;
  return name == guard_name(GuardKind::on) ? GuardKind::on : GuardKind::all;
}

void check_keys(const std::vector<ConfigEntry>& entries) {
  for (const ConfigEntry& entry : entries) {
    const auto specs = setting_specs();
    const auto named = [&](const SettingSpec& spec) { return spec.name == entry.key; };
    if (std::any_of(specs.begin(), specs.end(), named)) continue;
    std::string known;
    for (const SettingSpec& spec : specs)
      known += (known.empty() ? "" : ", ") + std::string(spec.name);
    throw CliError(exit_bad_input, fmt::format("{}: there is no setting {}; there are {}",
                                               entry.origin, entry.key, known));
  }
}

}  // namespace

const char* source_name(Source source) {
  switch (source) {
    case Source::built_in:
      return "default";
    case Source::platform:
      return "platform";
    case Source::workload_case:
      return "case";
    case Source::config_file:
      return "config file";
    case Source::environment:
      return "environment";
    case Source::flag:
      return "flag";
  }
  return "unknown";
}

std::string SettingValue::place() const {
  return source == Source::environment ? "environment variable " + origin : origin;
}

Settings::Settings(const SettingSources& sources) {
  check_keys(sources.config_file);
  resolve(spec_of(Setting::workload), sources);
  if (!text(Setting::workload).empty()) {
    try {
      workload_ = &workloads::find_workload(text(Setting::workload));
    } catch (const std::invalid_argument& error) {
      const SettingValue& value = (*this)[Setting::workload];
      throw CliError(value.error_code(), fmt::format("{}: {}", value.place(), error.what()));
    }
  }
  for (const SettingSpec& spec : setting_specs()) {
    if (spec.id != Setting::workload) resolve(spec, sources);
    check_option(spec);
  }
  resolve_case();
  resolve_chip();
}

void Settings::check_option(const SettingSpec& spec) const {
  const SettingValue& value = (*this)[spec];
  if (spec.option == nullptr || value.source == Source::built_in) return;
  if (workload_ != nullptr && workload_->find_option(spec.name) != nullptr) return;
  throw CliError(
      value.error_code(),
      fmt::format("{}: {}", value.place(), workloads::missing_option(workload_, spec.name).what()));
}

void Settings::resolve(const SettingSpec& spec, const SettingSources& sources) {
  SettingValue& value = values_[spec.name];
  value = {spec.built_in, Source::built_in, ""};
  const auto take = [&](const std::string& text, Source source, const std::string& origin) {
    value = checked(spec, {text, source, origin});
  };
  for (const ConfigEntry& entry : sources.config_file) {
    if (entry.key == spec.name) {
      take(entry.value, Source::config_file, fmt::format("{}, {}", entry.origin, spec.name));
    }
  }
  if (const char* const variable = variable_of(spec, workload_)) {
    const char* const text = sources.environment(variable);
    if (text != nullptr && *text != '\0') take(text, Source::environment, variable);
  }
  if (const auto flag = sources.flags.find(spec.name); flag != sources.flags.end()) {
    take(flag->second, Source::flag,
         spec.id == Setting::workload ? std::string("WORKLOAD")
                                      : fmt::format("{}{}", sources.flag_prefix, spec.name));
  }
}

void Settings::resolve_case() {
  SettingValue& name = value(Setting::case_name);
  if (workload_ == nullptr && name.source > Source::built_in) {
    throw CliError(
        name.error_code(),
        fmt::format("{}: a run without a workload has no cases; name a WORKLOAD, or leave it out",
                    name.place()));
  }
  if (workload_ == nullptr) return;
  const std::vector<workloads::CaseInfo> cases = workload_->cases();
  if (name.source == Source::built_in) name = {cases.front().name, Source::built_in, ""};
  std::string known;
  for (const workloads::CaseInfo& info : cases) {
    if (info.name == name.text) return apply_case_sizes(info);
    known += (known.empty() ? "" : ", ") + info.name;
  }
  throw CliError(name.error_code(), fmt::format("{}: workload {} has no case '{}'; there are {}",
                                                name.place(), workload_->name(), name.text, known));
}

void Settings::apply_case_sizes(const workloads::CaseInfo& info) {
  const workloads::RingSizes common;
  const auto apply = [&](Setting id, uint64_t own, uint64_t usual) {
    SettingValue& value = this->value(id);
    if (value.source == Source::built_in && own != usual) {
      value = {std::to_string(own), Source::workload_case, info.name};
    }
  };
  apply(Setting::window, info.rings.window, common.window);
  apply(Setting::heap, info.rings.heap_bytes, common.heap_bytes);
  apply(Setting::dep_pool, info.rings.dep_pool, common.dep_pool);
  apply(Setting::tensormap_pool, info.rings.tensormap_pool, common.tensormap_pool);
  if (info.blocks != 0) apply(Setting::blocks, info.blocks, 0);
}

void Settings::resolve_chip() {
  platform_ = chip_of_platform(text(Setting::platform));
  const bool usual = (*this)[Setting::platform].source == Source::built_in;
  const auto apply = [&](Setting id, uint64_t own) {
    SettingValue& value = this->value(id);
    if (value.source != Source::built_in) return;
    value = {std::to_string(own), usual ? Source::built_in : Source::platform,
             usual ? "" : platform_.name};
  };
  apply(Setting::blocks, platform_.clusters);
  apply(Setting::accelerators, platform_.accelerators);
  // Each scheduler needs a block; who asks for fewer blocks need not know that.
  const uint64_t blocks = number(Setting::blocks);
  const bool few = blocks < platform_.schedulers;
  apply(Setting::schedulers, few ? blocks : platform_.schedulers);
  SettingValue& schedulers = value(Setting::schedulers);
  const bool chosen = schedulers.source > Source::platform;
  if (few && !chosen) schedulers.origin = "as many as blocks";
}

uint64_t Settings::number(Setting id) const {
  return parse_count(text(id)).value_or(0);
}

/// Of the settings that contradict each other the one whose source comes first.
const SettingValue& Settings::culprit_of(const ConfigError& error) const {
  const SettingValue* culprit = nullptr;
  for (const std::string& name : error.settings()) {
    const SettingValue& value = values_.at(name);
    if (culprit == nullptr || value.source > culprit->source) culprit = &value;
  }
  return *culprit;
}

DeviceConfig Settings::device_config() const {
  const auto number32 = [&](Setting id) { return static_cast<uint32_t>(number(id)); };
  DeviceConfig config;
  config.rings = number32(Setting::rings);
  config.window = number32(Setting::window);
  config.heap_bytes = number(Setting::heap);
  config.dep_pool = number32(Setting::dep_pool);
  config.tensormap_pool = number32(Setting::tensormap_pool);
  config.shards = number32(Setting::shards);
  config.chip = platform_;
  config.chip.schedulers = number32(Setting::schedulers);
  config.chip.clusters = number32(Setting::blocks);
  config.chip.accelerators = number32(Setting::accelerators);
  config.deadline_ms = 1000 * number(Setting::deadline);
  config.guard = guard_named(text(Setting::guard));
  config.fan_out = text(Setting::fan_out) == "word" ? FanOutKind::word : FanOutKind::lock;
  try {
    validate(config);
  } catch (const ConfigError& error) {
    const SettingValue& culprit = culprit_of(error);
    const std::string place = culprit.source > Source::workload_case ? culprit.place() + ": " : "";
    throw CliError(culprit.error_code(), place + error.what());
  }
  return config;
}

workloads::CaseOptions Settings::case_options() const {
  workloads::CaseOptions options;
  options.seed = number(Setting::input_seed);
  for (const workloads::OptionSpec* option : workloads::all_options()) {
    const SettingValue& value = of_option(option->name);
    if (value.source == Source::built_in) continue;
    options.values.emplace(option->name, workloads::parse_option(option->kind, value.text).value());
  }
  return options;
}

}  // namespace pto2::cli
