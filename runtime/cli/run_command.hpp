/// `pto2 run`.
#pragma once

#include <array>
#include <string>

#include <CLI/CLI.hpp>

#include "runtime/cli/run_program.hpp"
#include "runtime/cli/settings.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

class RunCommand {
 public:
  /// Adds the command and its options. `this` must outlive `app`'s parsing.
  explicit RunCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }

  /// Throws CliError, LoadError, std::bad_alloc, executors::SeededFailure.
  ExitCode execute();

 private:
  struct Option {
    std::string text;
    CLI::Option* option = nullptr;
  };
  void add_setting(const SettingSpec& spec);
  Settings resolve() const;
  void check_combinations(const Settings& settings) const;
  ExitCode print_config(const Settings& settings) const;
  ExitCode run(const Settings& settings);

  CLI::App* command_;
  std::array<Option, setting_count> options_;
  OwnImages own_;
  std::string trace_;
  std::string json_;
  std::string config_;
  bool quiet_ = false;
  bool print_config_ = false;
};

}  // namespace pto2::cli
