/// A command of the program: `pto2 NAME`.
#pragma once

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// Adds its options to a subcommand of CLI11 when it is made, and must outlive the parsing.
class Command {
 public:
  Command() = default;
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Does what the parsed arguments ask for. May throw what main.cpp turns into exit codes.
  virtual ExitCode execute() = 0;
};

}  // namespace pto2::cli
