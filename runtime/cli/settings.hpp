/// The settings of a run, and where each got its value. The options of the workloads are settings,
/// too; what is said of one of them here comes from its workload.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/cli/config_file.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/run/config.hpp"
#include "runtime/workloads/workload.hpp"

namespace pto2::cli {

/// The settings that every run has.
enum class Setting {
  workload,
  case_name,
  runtime,
  platform,
  executor,
  seed,
  host_threads,
  deadline,
  guard,
  window,
  heap,
  dep_pool,
  tensormap_pool,
  shards,
  rings,
  schedulers,
  blocks,
  accelerators,
  fan_out,
  input_seed,
  repeat,
  replay_graph,
  expect,
  isolate,
  trace_events,
  log_level,
};

/// How a value is written.
enum class ValueKind { text, choice, platform, count, size, option };

struct SettingSpec {
  std::optional<Setting> id;  ///< nothing: an option of workloads
  const char* name;           ///< key of the config file, and "--name" on the command line
  const char* environment;    ///< variable, or null; a workload may have one for the setting
  ValueKind kind;
  uint64_t low, high;  ///< of a count or size
  bool power_of_two;
  std::string choices;   ///< of a choice, separated by commas
  std::string built_in;  ///< the default
  const char* help;
  const workloads::OptionSpec* option = nullptr;  ///< null for a setting with an id
  const char* bare = nullptr;  ///< what the flag without a value says; null: it needs one
};

/// In the order of the help: that of the enumeration, with the options before the inputs' seed.
std::span<const SettingSpec> setting_specs();
const SettingSpec& spec_of(Setting id);

/// The environment variable that gives a setting of a run of `workload` (null: of none), or null.
/// A case and an option have that of the workload.
const char* variable_of(const SettingSpec& spec, const workloads::Workload* workload);

/// Those of all workloads, separated by commas.
std::string variables_of(const SettingSpec& spec);

/// What is allowed, for messages: "a power of two in 4..1M".
std::string allowed_values(const SettingSpec& spec);

/// From the weakest to the strongest.
enum class Source { built_in, platform, workload_case, config_file, environment, flag };
const char* source_name(Source source);

struct SettingValue {
  std::string text;  ///< canonical: sizes as plain numbers
  Source source = Source::built_in;
  std::string origin;  ///< the flag, the variable, the file and line, the case or the chip; empty
                       ///< for a default

  /// Where an error in it is, for messages.
  std::string place() const;
  /// The code of such an error: usage if a flag set it.
  ExitCode error_code() const { return source == Source::flag ? exit_usage : exit_bad_input; }
};

/// Of two that contradict each other the one whose source comes first, or `one`.
inline const SettingValue& culprit_of(const SettingValue& one, const SettingValue& other) {
  return other.source > one.source ? other : one;
}

/// What the user gave.
struct SettingSources {
  std::map<std::string, std::string> flags;  ///< by the setting's name
  std::vector<ConfigEntry> config_file;
  const char* (*environment)(const char* name);  ///< null for a variable that is not set
  const char* flag_prefix = "--";                ///< in front of a flag's name, in messages
};

class Settings {
 public:
  /// Flag over environment over config file over the case's ring sizes and blocks, over the
  /// platform's blocks, schedulers and accelerators, over the default. A workload's variables count
  /// for it alone, a variable that is empty not at all. Every value that was given is checked, also
  /// one that another source outranks, and an option must be one of the workload's. Throws
  /// CliError: usage for a flag, bad input for the others.
  explicit Settings(const SettingSources& sources);

  const SettingValue& operator[](Setting id) const { return (*this)[spec_of(id)]; }
  /// `spec` is one of setting_specs().
  const SettingValue& operator[](const SettingSpec& spec) const { return values_.at(spec.name); }
  const std::string& text(Setting id) const { return (*this)[id].text; }
  uint64_t number(Setting id) const;
  /// The workload; null when the run has none.
  const workloads::Workload* workload() const { return workload_; }

  /// What the device is made with. Throws CliError for sizes that do not fit each other.
  DeviceConfig device_config() const;
  /// The options that were given, and the inputs' seed.
  workloads::CaseOptions case_options() const;
  /// The value of the option of this name.
  const SettingValue& of_option(const std::string& name) const { return values_.at(name); }

 private:
  SettingValue& value(Setting id) { return values_[spec_of(id).name]; }
  void resolve(const SettingSpec& spec, const SettingSources& sources);
  void check_option(const SettingSpec& spec) const;
  void resolve_case();
  void apply_case_sizes(const workloads::CaseInfo& info);
  void resolve_chip();
  const SettingValue& culprit_of(const ConfigError& error) const;

  std::map<std::string, SettingValue> values_;  ///< by name
  const workloads::Workload* workload_ = nullptr;
  Chip platform_;  ///< without what other settings say of it
};

}  // namespace pto2::cli
