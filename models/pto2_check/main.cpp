/// The program behind `pto2 check` and `pto2 replay`.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "models/pto2_check/catalogue.hpp"
#include "models/pto2_check/check_options.hpp"
#include "models/pto2_check/check_output.hpp"
#include "models/pto2_check/mutants.hpp"
#include "models/pto2_check/named_token.hpp"
#include "models/pto2_check/protocol_index.hpp"
#include "models/pto2_check/weakening.hpp"
#include "runtime/output/command_line.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/guarded.hpp"
#include "runtime/output/interruption.hpp"
#include "runtime/output/output_file.hpp"
#include "runtime/output/replay_help.hpp"
#include "runtime/output/replay_token.hpp"

namespace pto2::scenarios {
namespace {

using cli::CliError;
using cli::ExitCode;
using cli::Interruption;

const cli::Remedies remedies{.memory = "use fewer --jobs", .thread = "use fewer --jobs"};

constexpr const char* footer = R"(Examples:
  pto2 check                     all scenarios that take seconds
  pto2 check task_life_cycle --jobs 2 --deep
  pto2 check --weaken            is every memory order needed, wherever it is used?
  pto2 check --mutants           are planted bugs found?
  pto2 replay TOKEN              one execution again, as a report of check prints it

A scenario is explored completely: every execution that the C++ memory model (RC11) allows, without
a bound on preemptions, from the headers that ship. Their number must be the one checked in.

Exit codes: 0 everything explored holds, 1 a violation, another number of executions, or a
weakening or mutant that survived (a mutant also if its time is up), 2 usage, 3 bad input, 4 a bound
was hit, nothing was explored completely, or a witness was ended, 130 interrupted, 143 terminated.
What failed before an interruption, or before processes ended, counts more.

SIGINT (Ctrl-C) or SIGTERM ends the command with what it has found so far, what is under way being
inconclusive; the files of --json and --junit are written and say so. A second one ends it at
once.)";

bool takes_long(const Entry& entry) {
  return entry.expected.effort == Effort::many;
}

/// The scenarios, the long ones on demand.
std::vector<Entry> available(bool deep) {
  std::vector<Entry> entries = catalogue();
  if (!deep) std::erase_if(entries, takes_long);
  return entries;
}

[[noreturn]] void refuse_pattern(const char* what, const CheckArguments& arguments,
                                 const char* where) {
  throw CliError(cli::exit_usage,
                 fmt::format("no {}'s name contains {}; {}", what, arguments.pattern, where));
}

/// The one whose name is the pattern, or else those whose name contains it.
std::vector<Entry> chosen(const CheckArguments& arguments, bool deep) {
  std::vector<Entry> entries = available(true);
  const bool whole = std::ranges::count(entries, arguments.pattern, &Entry::name) != 0;
  std::erase_if(entries, [&](const Entry& entry) {
    return whole ? entry.name != arguments.pattern
                 : entry.name.find(arguments.pattern) == std::string::npos;
  });
  if (entries.empty()) refuse_pattern("scenario", arguments, "pto2 check --list shows them");
  if (deep) return entries;
  std::erase_if(entries, takes_long);
  if (entries.empty()) {
    throw CliError(cli::exit_usage, fmt::format("the scenarios whose names contain {} take "
                                                "long; add --deep",
                                                arguments.pattern));
  }
  return entries;
}

void check_scenarios(const CheckArguments& arguments, CheckOutput& output) {
  const std::vector<Entry> entries = chosen(arguments, arguments.deep);
  output.begin();
  for (const Entry& entry : entries) {
    if (arguments.settings.stop.stop_requested()) return;
    output.add(check(entry, arguments.settings));
  }
}

void weaken_orders(const CheckArguments& arguments, CheckOutput& output) {
  const std::vector<Entry> entries = available(arguments.deep);
  std::vector<WeakPoint> points = weak_points(entries, arguments.settings.stop);
  std::erase_if(points, [&](const WeakPoint& point) {
    return std::string(point.site->name).find(arguments.pattern) == std::string::npos;
  });
  if (points.empty() && !arguments.settings.stop.stop_requested()) {
    refuse_pattern("memory order", arguments, "docs/PROTOCOLS.md has them");
  }
  output.begin();
  Weakener weakener(arguments.settings);
  for (const WeakPoint& point : points) {
    for (const std::memory_order order : weaker_orders(*point.site)) {
      if (arguments.settings.stop.stop_requested()) return;
      output.add(weakener.weaken(point, order));
    }
  }
}

/// What the system lacks is told as it is everywhere; all else is a file that is wrong.
[[noreturn]] void rethrow(const std::runtime_error& error) {
  const bool of_file = dynamic_cast<const std::filesystem::filesystem_error*>(&error) != nullptr;
  const bool of_system = dynamic_cast<const std::system_error*>(&error) != nullptr && !of_file;
  if (of_system || dynamic_cast<const CliError*>(&error) != nullptr) throw;
  throw CliError(cli::exit_bad_input, error.what());
}

std::vector<Mutant> chosen_mutants(const CheckArguments& arguments, const Mutants& mutants) {
  try {
    std::vector<Mutant> chosen = mutants.matching(arguments.pattern, arguments.quick);
    if (!chosen.empty()) return chosen;
    const bool is_left_out = arguments.quick && !mutants.matching(arguments.pattern, false).empty();
    refuse_pattern(is_left_out ? "quick mutant" : "mutant", arguments,
                   is_left_out ? "leave out --quick" : "models/mutants has them");
  } catch (const std::runtime_error& error) {
    rethrow(error);
  }
}

/// The code of what kept it from going on, which is told, while what it has found is kept; nothing
/// if it was not kept.
std::optional<ExitCode> run_mutants(const CheckArguments& arguments, CheckOutput& output) {
  Mutants mutants;
  const std::vector<Mutant> chosen = chosen_mutants(arguments, mutants);
  output.begin();
  try {
    mutants.run_all(chosen, arguments.settings.jobs, arguments.settings.stop,
                    [&](const MutantResult& result) { output.add(result); });
    return std::nullopt;
  } catch (const std::exception& error) {
    const CliError told = cli::told_of(error, remedies, {});
    cli::complain(told.code(), told.what());
    return told.code();
  }
}

ExitCode list_scenarios(const CheckArguments& arguments) {
  cli::OutputFile out("-");
  for (const Entry& entry : chosen(arguments, true)) {
    out.write(fmt::format("{:<52}{}\n", entry.name, effort_text(entry.expected)));
  }
  out.finish();
  return cli::exit_pass;
}

ExitCode check_index(const CheckArguments& arguments, const Interruption& interruption) {
  try {
    // What no search is needed for is told before it: that the file cannot be compared, too.
    if (index_may_be_current(arguments.index, ".", catalogue()) || arguments.update) {
      const std::string index = protocol_index(".", catalogue(), arguments.settings);
      if (const auto code = interruption.exit_code()) return *code;
      if (index_is_current(arguments.index, index, arguments.update)) return cli::exit_pass;
    }
  } catch (const std::runtime_error& error) {
    rethrow(error);
  }
  cli::OutputFile out("-");
  out.write(
      fmt::format("{} is not what the sources say; pto2 check --index {} --update makes it so\n",
                  arguments.index, arguments.index));
  out.finish();
  return cli::exit_fail;
}

ExitCode run_check(CheckArguments& arguments) {
  if (arguments.list) return list_scenarios(arguments);
  const Interruption interruption(Interruption::First::requests_stop);
  arguments.settings.stop = interruption.stop();
  if (!arguments.index.empty()) return check_index(arguments, interruption);
  CheckOutput output(arguments.json, arguments.junit);
  std::optional<ExitCode> ended;
  if (arguments.mutants) {
    ended = run_mutants(arguments, output);
  } else if (arguments.weaken) {
    weaken_orders(arguments, output);
  } else {
    check_scenarios(arguments, output);
  }
  return output.finish(ended ? ended : interruption.exit_code());
}

ExitCode run_replay(const std::string& token) {
  const Interruption interruption(Interruption::First::ends);
  try {
    const model::Report report = replay_named(catalogue(), token);
    cli::OutputFile out("-");
    out.write(report.to_text());
    out.finish();
    if (report.violation) return cli::exit_fail;
    // A token of another program, or of another state of this one, says nothing about it.
    const bool replayed = report.executions + report.blocked != 0;
    return replayed ? cli::exit_pass : cli::exit_inconclusive;
  } catch (const cli::TokenError& error) {
    throw CliError(cli::exit_bad_input, error.what());
  }
}

int execute(int argc, char** argv) {
  CLI::App app("Checks the protocols of the runtime's core exhaustively.", "pto2");
  app.require_subcommand(1);
  app.footer(footer);
  CheckArguments arguments;
  add_check_options(*app.add_subcommand("check", "explore scenarios")->footer(footer), arguments);
  std::string token;
  CLI::App* replay_command =
      app.add_subcommand("replay", "repeat one execution, or one run, from the token of a report");
  replay_command->footer(cli::replay_footer());
  replay_command->add_option("token", token, "as a report prints it")->required();
  if (const auto code = cli::parse_command_line(app, argc, argv)) return *code;
  arguments.settings.progress = isatty(STDERR_FILENO) != 0;
  return replay_command->parsed() ? run_replay(token) : run_check(arguments);
}

}  // namespace
}  // namespace pto2::scenarios

int main(int argc, char** argv) {
  return pto2::cli::guarded([&] { return pto2::scenarios::execute(argc, argv); },
                            pto2::scenarios::remedies);
}
