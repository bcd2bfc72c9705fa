#include "runtime/cli/information_command.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

namespace pto2::cli {

InformationCommand::InformationCommand(CLI::App& app, const char* name, const char* description,
                                       const char* note, ExitCode (*show)(bool json))
    : command_(app.add_subcommand(name, description)), show_(show) {
  command_->add_flag("--json", json_, "as JSON");
  command_->footer(fmt::format("{0}\n\nExamples:\n  pto2 {1}\n  pto2 {1} --json", note, name));
}

bool InformationCommand::chosen() const {
  return command_->parsed();
}

}  // namespace pto2::cli
