#include "runtime/cli/commands.hpp"

#include <iterator>

namespace pto2::cli {

/// Each in a file of its own, NAME_command.cpp.
using MakeCommand = std::unique_ptr<Command>(CLI::App& subcommand);
MakeCommand make_run_command, make_validate_command, make_list_command, make_doctor_command;

namespace {

constexpr CommandSpec table[] = {
    {"run", "run a workload and check its result", make_run_command},
    {"run-folder", "run a folder with a golden.py, and compare its outputs", nullptr,
     "pto2-run-folder"},
    {"validate", "judge runs by their traces", make_validate_command},
    {"check", "explore the protocols' scenarios with the model checker", nullptr, "pto2-check"},
    {"simulate", "run the whole runtime from seeds, against an oracle", nullptr, "pto2-simulate"},
    {"stress", "run scenarios and drawn graphs on OS threads, at length", nullptr, "pto2-stress"},
    {"replay", "repeat one execution, or one run, from the token of a report", nullptr,
     "pto2-check"},
    {"list", "show workloads, cases, deadlock reproductions and platforms", make_list_command},
    {"doctor", "check what this machine offers", make_doctor_command}};

}  // namespace

std::span<const CommandSpec> commands() {
  return table;
}

const char* find_program(std::string_view name) {
  for (const CommandSpec& command : table) {
    if (command.name == name) return command.program;
  }
  return nullptr;
}

std::string command_names() {
  std::string names;
  for (const CommandSpec& command : table) {
    const bool last = &command == std::end(table) - 1;
    if (!names.empty()) names += last ? " or " : ", ";
    names += command.name;
  }
  return names;
}

}  // namespace pto2::cli
