/// The commands of the program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/cli/command.hpp"

namespace CLI {
class App;
}

namespace pto2::cli {

struct CommandSpec {
  const char* name;
  const char* description;  ///< one line of `pto2 --help`
  /// Makes the command from its subcommand. Null: `program`, beside this one, has it.
  std::unique_ptr<Command> (*make)(CLI::App& subcommand);
  const char* program = nullptr;
};

/// In the order of the help.
std::span<const CommandSpec> commands();

/// The other program that has the command; null if it is this one, or there is none of this name.
const char* find_program(std::string_view name);

/// "run, check or list", for messages.
std::string command_names();

}  // namespace pto2::cli
