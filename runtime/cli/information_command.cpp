#include "runtime/cli/information_command.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

namespace pto2::cli {

InformationCommand::InformationCommand(CLI::App& subcommand, const char* note,
                                       ExitCode (*show)(bool json))
    : show_(show) {
  subcommand.add_flag("--json", json_, "as JSON");
  subcommand.footer(
      fmt::format("{0}\n\nExamples:\n  pto2 {1}\n  pto2 {1} --json", note, subcommand.get_name()));
}

}  // namespace pto2::cli
