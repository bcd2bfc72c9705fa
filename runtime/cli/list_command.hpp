/// `pto2 list`.
#pragma once

#include <CLI/CLI.hpp>

#include "runtime/cli/exit_codes.hpp"

namespace pto2::cli {

class ListCommand {
 public:
  explicit ListCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitCode execute() const;

 private:
  CLI::App* command_;
  bool json_ = false;
};

}  // namespace pto2::cli
