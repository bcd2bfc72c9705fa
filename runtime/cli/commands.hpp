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
  /// Makes the command from its subcommand. Null: the program pto2-check, beside this one, has it.
  std::unique_ptr<Command> (*make)(CLI::App& subcommand);
};

/// In the order of the help.
std::span<const CommandSpec> commands();

/// Whether pto2-check has the command; not if there is none of this name.
bool is_of_check(std::string_view name);

/// "run, check or list", for messages.
std::string command_names();

}  // namespace pto2::cli
