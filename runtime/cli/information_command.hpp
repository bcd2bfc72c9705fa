/// Commands that show something, as text or as JSON.
#pragma once

#include "runtime/cli/command.hpp"

namespace CLI {
class App;
}

namespace pto2::cli {

class InformationCommand : public Command {
 public:
  /// `note` ends the help, before the examples.
  InformationCommand(CLI::App& subcommand, const char* note, ExitCode (*show)(bool json));
  ExitCode execute() override { return show_(json_); }

 private:
  ExitCode (*show_)(bool json);
  bool json_ = false;
};

}  // namespace pto2::cli
