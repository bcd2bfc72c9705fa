/// The settings of a run, and where each got its value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/cli/config_file.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/run/config.hpp"
#include "runtime/workloads/workload.hpp"

namespace pto2::cli {

enum class Setting {
  workload,
  case_name,
  runtime,
  platform,
  executor,
  seed,
  host_threads,
  window,
  heap,
  dep_pool,
  tensormap_pool,
  shards,
  rings,
  schedulers,
  blocks,
  fan_out,
  seq_lens,
  scale,
  input_seed,
  repeat,
  trace_events,
  log_level,
};
inline constexpr std::size_t setting_count = static_cast<std::size_t>(Setting::log_level) + 1;

/// How a value is written.
enum class ValueKind { text, choice, platform, count, size, real, lengths };

struct SettingSpec {
  Setting id;
  const char* name;         ///< key of the config file, and "--name" on the command line
  const char* environment;  ///< variable, or null
  ValueKind kind;
  uint64_t low, high;  ///< of a count or size
  bool power_of_two;
  std::string choices;   ///< of a choice, separated by commas
  std::string built_in;  ///< the default
  const char* help;
};

/// In the order of the enumeration.
std::span<const SettingSpec> setting_specs();
const SettingSpec& spec_of(Setting id);

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

/// What the user gave.
struct SettingSources {
  std::array<std::optional<std::string>, setting_count> flags;
  std::vector<ConfigEntry> config_file;
  const char* (*environment)(const char* name);  ///< null for a variable that is not set
};

class Settings {
 public:
  /// Flag over environment over config file over the case's ring sizes, or the platform's blocks
  /// and schedulers, over the default. PA_CASE and PA_SEQ_LEN count for paged attention alone, a
  /// variable that is empty not at all. Every value that was given is checked, also one that
  /// another source outranks. Throws CliError: usage for a flag, bad input for the others.
  explicit Settings(const SettingSources& sources);

  const SettingValue& operator[](Setting id) const { return values_[index(id)]; }
  const std::string& text(Setting id) const { return (*this)[id].text; }
  uint64_t number(Setting id) const;
  /// The workload; null when the run has none.
  const workloads::Workload* workload() const { return workload_; }

  /// What the device is made with. Throws CliError for sizes that do not fit each other.
  DeviceConfig device_config() const;
  workloads::CaseOptions case_options() const;

 private:
  static std::size_t index(Setting id) { return static_cast<std::size_t>(id); }
  void resolve(const SettingSpec& spec, const SettingSources& sources);
  void resolve_case();
  void apply_case_sizes(const workloads::CaseInfo& info);
  void resolve_chip();

  std::array<SettingValue, setting_count> values_;
  const workloads::Workload* workload_ = nullptr;
  Chip platform_;  ///< without what other settings say of it
};

}  // namespace pto2::cli
