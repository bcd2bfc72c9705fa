/// `pto2 doctor`.
#pragma once

#include <CLI/CLI.hpp>

#include "runtime/cli/exit_codes.hpp"

namespace pto2::cli {

class DoctorCommand {
 public:
  explicit DoctorCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  /// exit_pass unless a check fails; a warning does not count.
  ExitCode execute() const;

 private:
  CLI::App* command_;
  bool json_ = false;
};

}  // namespace pto2::cli
