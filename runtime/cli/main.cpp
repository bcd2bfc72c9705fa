/// The program pto2.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/other_programs.hpp"
#include "runtime/cli/run_errors.hpp"
#include "runtime/cli/settings.hpp"
#include "runtime/output/chosen_end.hpp"
#include "runtime/output/command_line.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/guarded.hpp"
#include "runtime/output/interruption.hpp"
#include "runtime/output/stderr_text.hpp"

namespace pto2::cli {
namespace {

/// Async-signal-safe: nothing is joined and nothing can keep the process.
extern "C" void end_interrupted(int) {
  write_to_stderr_at_once("\npto2: interrupted\n");
  end_at_once(exit_interrupted);
}

void install_interrupt_handler() {
  if (is_ignored(SIGINT)) return;
  struct sigaction action {};
  action.sa_handler = end_interrupted;
  sigaction(SIGINT, &action, nullptr);
}

constexpr const char* program_footer = R"(Examples:
  pto2 run paged_attention --case CaseBatch256
  pto2 run paged_attention --trace trace.jsonl
  pto2 validate trace.jsonl
  pto2 check --jobs 2
  pto2 simulate --random-graphs --strategy random
  pto2 list
  pto2 doctor

Exit codes: 0 holds, 1 wrong result or broken rule, 2 usage, 3 bad input, 4 inconclusive, 5 runtime
fault, 70 a bug of pto2, 130 interrupted, 143 terminated. Results go to stdout, all else to stderr.
The images of the workloads are found beside the program, or in the folder PTO2_WORKLOADS.)";

/// Throws CliError (usage) unless the first argument is a command, or an option of the program.
void check_command(const CLI::App& app, const std::string& first) {
  const bool is_command = std::ranges::any_of(
      commands(), [&](const CommandSpec& command) { return command.name == first; });
  const bool is_option = !first.empty() && app.get_option_no_throw(first) != nullptr;
  if (is_command || is_option) return;
  throw CliError(exit_usage,
                 fmt::format("{}name a command: {}; pto2 --help explains them",
                             first.empty() ? "" : first + " is no command; ", command_names()));
}

/// Throws CliError (usage) where a flag that needs no value is given one without `=`: it would be
/// taken for a workload.
void check_values_of_flags(std::span<char* const> arguments) {
  for (const SettingSpec& spec : setting_specs()) {
    if (spec.bare == nullptr) continue;
    const std::string flag = std::string("--") + spec.name;
    const std::string choices = fmt::format(",{},", spec.choices);
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
      const std::string next = arguments[i + 1];
      if (arguments[i] != flag || choices.find("," + next + ",") == std::string::npos) continue;
      throw CliError(exit_usage,
                     fmt::format("{0} {1}: its value goes behind '=': {0}={1}", flag, next));
    }
  }
}

int execute(int argc, char** argv) {
  if (argc > 1) {
    const char* const other = program_of(argv[1], {argv + 2, argv + argc});
    if (other != nullptr) become(other, argv);
  }
  CLI::App app("Runs task graphs on simulated AI cores.", "pto2");
  app.set_version_flag("--version", "pto2 " PTO2_VERSION);
  app.require_subcommand(1);
  app.footer(program_footer);
  check_command(app, argc > 1 ? argv[1] : "");
  check_values_of_flags({argv, argv + argc});
  std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>> made;
  for (const CommandSpec& spec : commands()) {
    CLI::App* const subcommand = app.add_subcommand(spec.name, spec.description);
    made.emplace_back(subcommand, spec.make == nullptr ? nullptr : spec.make(*subcommand));
  }
  if (const auto code = parse_command_line(app, argc, argv)) return *code;
  for (const auto& [subcommand, command] : made) {
    if (subcommand->parsed() && command != nullptr) return command->execute();
  }
  return complain(exit_usage, fmt::format("name a command first: {}", command_names()));
}

}  // namespace
}  // namespace pto2::cli

int main(int argc, char** argv) {
  using namespace pto2::cli;
  install_interrupt_handler();
  return chosen(guarded([&] { return execute(argc, argv); }, run_remedies(), known_error));
}
