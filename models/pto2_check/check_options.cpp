#include "models/pto2_check/check_options.hpp"

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <limits>

#include "runtime/output/command_line.hpp"
#include "runtime/output/output_file.hpp"

namespace pto2::scenarios {
namespace {

/// What would be ignored is refused: who gave it takes the answer for one that heeds it.
void exclude(CLI::Option* option, std::initializer_list<CLI::Option*> others) {
  for (CLI::Option* other : others) option->excludes(other);
}

/// What an unset variable of a script leaves behind would be part of every name.
std::string refusal_of_empty(const std::string& pattern) {
  return pattern.empty() ? "is empty; leave it out, or say which" : "";
}

}  // namespace

void add_check_options(CLI::App& check_command, CheckArguments& arguments) {
  auto* pattern = check_command
                      .add_option("pattern", arguments.pattern,
                                  "part of the names of the scenarios (memory orders, mutants) to "
                                  "try")
                      ->check(refusal_of_empty);
  auto* deep_flag = check_command.add_flag("--deep", arguments.deep, "those too that take long");
  auto* list_flag =
      check_command.add_flag("--list", arguments.list, "show the scenarios and explore nothing");
  auto* weaken_flag = check_command.add_flag(
      "--weaken", arguments.weaken,
      "weaken each memory order in turn, and each use of it; some scenario must notice");
  auto* mutants_flag = check_command.add_flag(
      "--mutants", arguments.mutants,
      "run, for each planted bug, the scenario or the test that must find it, in 60 s");
  check_command.add_flag("--quick", arguments.quick, "the few whose programs are quickly built")
      ->needs(mutants_flag);
  auto* index_option = check_command
                           .add_option("--index", arguments.index,
                                       "compare the tables of this document with the sources here")
                           ->check(cli::refusal_of_file_name);
  check_command.add_flag("--update", arguments.update, "make the tables what they should be")
      ->needs(index_option);
  auto* jobs = check_command
                   .add_option("--jobs", arguments.settings.jobs,
                               "OS threads per search; mutants at a time (of more than there are "
                               "CPUs, slow ones may be taken for stuck ones)")
                   ->transform(cli::whole_number_in(1, 64))
                   ->capture_default_str();
  auto* max_seconds = check_command
                          .add_option("--max-seconds", arguments.settings.max_seconds,
                                      "give up a scenario after so long; 0: never")
                          ->check(cli::seconds_in(0, std::numeric_limits<double>::infinity()))
                          ->capture_default_str();
  auto* json =
      check_command.add_option("--json", arguments.json, "write results here; - is stdout")
          ->check(cli::refusal_of_file_name);
  auto* junit =
      check_command.add_option("--junit", arguments.junit, "write JUnit XML here; - is stdout")
          ->check(cli::refusal_of_file_name);
  exclude(mutants_flag, {weaken_flag, deep_flag, max_seconds});
  exclude(list_flag,
          {weaken_flag, mutants_flag, index_option, deep_flag, max_seconds, jobs, json, junit});
  exclude(index_option, {pattern, weaken_flag, mutants_flag, deep_flag, max_seconds, json, junit});
}

}  // namespace pto2::scenarios
