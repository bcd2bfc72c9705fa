/// The program behind `pto2 stress`.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <initializer_list>
#include <stdexcept>

#include "models/scenario_count.hpp"
#include "runtime/executors/freed_memory.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/output/command_line.hpp"
#include "runtime/output/guarded.hpp"
#include "runtime/output/output_file.hpp"
#include "runtime/output/stderr_text.hpp"
#include "runtime/workloads/workload.hpp"
#include "stress/hang_guard.hpp"
#include "stress/stressing/scenario_unit.hpp"
#include "stress/stressing/stress_output.hpp"

namespace pto2::stress {
namespace {

using cli::CliError;
using cli::ExitCode;

struct Arguments {
  std::string pattern;
  std::string executor = "both";
  std::string noise = "all";
  std::string seeds;
  std::string fan_out = "word";
  Drawn drawn;
  double seconds = 0;
  uint64_t runs = 0;
  uint64_t tasks = 0;
  bool list = false;
  std::string json;
  std::string junit;
};

constexpr const char* footer = R"(Examples:
  pto2 stress                                           all units, a minute in all
  pto2 stress graphs --executor packed --tasks 10000000
  pto2 stress fan_in --seconds 600 --noise delays,crowd
  pto2 stress workloads --case Case3 --stub-kernels
  pto2 stress graphs/clustered/threads --seeds 17..17 --noise none

A unit is a scenario of the model checker, on OS threads; or random graphs of one kind, or one case
of a workload, on one executor, drawn from seeds: device, sizes and graph, not the order of steps.
Each run must end as a counting oracle and a sequential interpreter predict, and keep each rule of
pto2 validate. PATTERN is part of the names of units; `pto2 stress --list` shows them. Each unit has
a process of its own, and what crashes or hangs there is told.

Noise, any of them with commas between: yields and delays stop a thread at any instruction, pinning
leaves it one processor, crowd adds threads that want the processors, priorities makes some less
urgent; all, none.

What goes wrong is tried again, up to 200 times in half a minute, to tell how often it does; and a
run with a seed is looked for in simulations, where it can be made smaller and be replayed.

Exit codes: 0 all runs were right, 1 one was not, 2 usage, 3 bad input, 4 inconclusive (no run, or
1000 and more that did not show every kind of outcome), 130 interrupted, 143 terminated. A run that
was wrong before an interruption, or before a unit that cannot run, counts more.)";

void add_options(CLI::App& app, Arguments& arguments) {
  constexpr uint64_t most = 1'000'000'000'000;
  app.footer(footer);
  app.add_option("PATTERN", arguments.pattern,
                 "units whose name contains it, or the one of this name (default: all)");
  app.add_flag("--list", arguments.list, "show the names of the units");
  auto* seconds =
      app.add_option("--seconds", arguments.seconds,
                     "how long all units together run, at least 0.05 for each (default: 60)")
          ->check(cli::seconds_in(0.01, 1e7));
  auto* runs = app.add_option("--runs", arguments.runs, "how often each unit runs")
                   ->transform(cli::whole_number_in(1, most));
  auto* tasks = app.add_option("--tasks", arguments.tasks,
                               "how many tasks all units together run; a run of a scenario is one")
                    ->transform(cli::whole_number_in(1, most));
  seconds->excludes(runs)->excludes(tasks);
  runs->excludes(tasks);
  app.add_option("--executor", arguments.executor, "of graphs and workloads")
      ->check(cli::one_of({"packed", "threads", "both"}))
      ->capture_default_str();
  app.add_option("--noise", arguments.noise,
                 "yields, delays, pinning, crowd, priorities; all or none")
      ->capture_default_str();
  app.add_option("--seeds", arguments.seeds,
                 "A..B, both included, of graphs and workloads; without --seconds, --runs and "
                 "--tasks each of them runs once (default: from 1 on)");
  app.add_option("--fan-out", arguments.fan_out, "of graphs and workloads")
      ->check(cli::one_of({"word", "lock"}))
      ->capture_default_str();
  app.add_option("--case", arguments.drawn.case_name,
                 "case of the workloads that have it (default: the first of each)");
  app.add_flag("--stub-kernels", arguments.drawn.stub_kernels,
               "workloads have kernels that check the order of their data and compute nothing");
  app.add_option("--json", arguments.json, "write the result as JSON; - is stdout")
      ->check(cli::refusal_of_file_name);
  app.add_option("--junit", arguments.junit, "write it as JUnit XML; - is stdout")
      ->check(cli::refusal_of_file_name);
}

/// In the name of a workload's unit; empty: it names none, or a part of one.
std::string case_in(const std::string& pattern) {
  for (const workloads::Workload* workload : workloads::all_workloads()) {
    for (const workloads::CaseInfo& info : workload->cases()) {
      const std::string name = fmt::format("workloads/{}:{}", workload->name(), info.name);
      if (pattern == name || pattern.starts_with(name + "/")) return info.name;
    }
  }
  return {};
}

/// The one whose name is the pattern, or else those whose name contains it, on the executor.
Units choose(const Arguments& arguments) {
  Drawn drawn = arguments.drawn;
  if (drawn.case_name.empty()) drawn.case_name = case_in(arguments.pattern);
  Units units = scenario_units();
  for (std::unique_ptr<Unit>& unit : drawn_units(drawn)) units.push_back(std::move(unit));
  const std::string& pattern = arguments.pattern;
  const bool whole = std::ranges::any_of(
      units, [&](const std::unique_ptr<Unit>& unit) { return unit->name() == pattern; });
  std::erase_if(units, [&](const std::unique_ptr<Unit>& unit) {
    const std::string& name = unit->name();
    if (whole ? name != pattern : name.find(pattern) == std::string::npos) return true;
    return unit->has_seeds() && arguments.executor != "both" &&
           !name.ends_with("/" + arguments.executor);
  });
  if (units.empty()) {
    throw CliError(
        cli::exit_usage,
        fmt::format("no unit{}{}{} has a name that contains {}; pto2 stress --list shows "
                    "them",
                    drawn.case_name.empty() ? "" : " of case ", drawn.case_name,
                    arguments.executor == "both" ? "" : " on " + arguments.executor, pattern));
  }
  return units;
}

/// The first of the options that is given has no effect on `selected`, which is all there is.
void refuse(const CLI::App& app, std::initializer_list<const char*> options, const char* selected,
            const char* others) {
  for (const char* option : options) {
    if (app.get_option(option)->count() == 0) continue;
    throw CliError(cli::exit_usage,
                   fmt::format("{} has no effect on {}, and nothing else is selected; leave it "
                               "out, or name {} (pto2 stress --list)",
                               option, selected, others));
  }
}

/// What chooses among runs that have seeds does nothing for scenarios, and what is of workloads
/// nothing for graphs. A case that no workload has leaves graphs and scenarios, which would pass.
void check_effect(const CLI::App& app, const Units& units) {
  const auto has_seeds = [](const std::unique_ptr<Unit>& unit) { return unit->has_seeds(); };
  const auto is_workload = [](const std::unique_ptr<Unit>& unit) {
    return unit->name().starts_with("workloads/");
  };
  if (!std::ranges::any_of(units, has_seeds)) {
    refuse(app, {"--executor", "--case", "--fan-out", "--stub-kernels", "--seeds"}, "scenarios",
           "graphs or workloads");
  }
  if (std::ranges::any_of(units, is_workload)) return;
  const CLI::Option& case_name = *app.get_option("--case");
  if (case_name.count() != 0) {
    throw CliError(cli::exit_usage,
                   fmt::format("no unit of case {} is selected, and --case has no effect on "
                               "others; leave it out, or name a workload and a case that it has "
                               "(pto2 list)",
                               case_name.as<std::string>()));
  }
  refuse(app, {"--stub-kernels"}, "scenarios and graphs", "workloads");
}

Budget budget_of_each(const CLI::App& app, const Arguments& arguments, std::size_t units) {
  Budget budget;
  const auto given = [&](const char* option) { return app.get_option(option)->count() != 0; };
  if (given("--runs")) {
    budget.runs = arguments.runs;
  } else if (given("--tasks")) {
    budget.tasks = (arguments.tasks + units - 1) / units;
  } else if (given("--seconds") || !given("--seeds")) {
    budget.seconds = (given("--seconds") ? arguments.seconds : 60) / static_cast<double>(units);
  }
  return budget;
}

void show_progress(const Unit& unit, const UnitCounts& counts, double seconds) {
  const uint64_t tasks = std::max(counts.tasks.load(), unit.has_seeds() ? 0 : counts.runs.load());
  cli::print_to_stderr("\r{:<48} {} runs, {} tasks, {:.0f}/s, {:.0f} s ", unit.name(),
                       counts.runs.load(), tasks, static_cast<double>(tasks) / seconds, seconds);
}

StressOptions options_of(const CLI::App& app, const Arguments& arguments, std::size_t units) {
  StressOptions options;
  options.budget = budget_of_each(app, arguments, units);
  if (!arguments.seeds.empty()) options.seeds = cli::parse_range("--seeds", arguments.seeds);
  try {
    options.noise = noise_named(arguments.noise);
  } catch (const std::invalid_argument& error) {
    throw CliError(cli::exit_usage, error.what());
  }
  if (isatty(STDERR_FILENO) != 0) options.progress = show_progress;
  return options;
}

/// Seeds end what has them; a scenario would run without end.
void check_seeds(const Arguments& arguments, const Budget& budget, const Units& units) {
  const Budget none;
  if (budget.runs != none.runs || budget.tasks != none.tasks || budget.seconds != none.seconds) {
    return;
  }
  for (const std::unique_ptr<Unit>& unit : units) {
    if (unit->has_seeds()) continue;
    throw CliError(
        cli::exit_usage,
        fmt::format("{} has no seeds, so --seeds {} does not end it; say --runs, --tasks "
                    "or --seconds, or name a unit that has",
                    unit->name(), arguments.seeds));
  }
}

const cli::Remedies remedies{.memory = "use a smaller case, or name fewer units",
                             .thread = "end other programs, or raise the limit of processes"};

std::optional<CliError> known(const std::exception& error) {
  if (dynamic_cast<const LoadError*>(&error) == nullptr) return std::nullopt;
  return CliError(cli::exit_bad_input, error.what());
}

/// Until a signal comes. Throws what stress() does.
void run_units(const Units& units, const StressOptions& options, PendingSignals& signals,
               StressOutput& output) {
  for (const std::unique_ptr<Unit>& unit : units) {
    if (signals.look()) break;
    UnitResult result = stress(*unit, options, signals);
    if (options.progress) cli::print_to_stderr("\r{:100}\r", "");
    output.add(std::move(result));
  }
}

ExitCode run(const CLI::App& app, Arguments& arguments) {
  cli::refuse_empty(app, {"PATTERN", "--noise", "--seeds", "--case"});
  arguments.drawn.fan_out = arguments.fan_out == "lock" ? FanOutKind::lock : FanOutKind::word;
  const Units units = choose(arguments);
  check_effect(app, units);
  const StressOptions options = options_of(app, arguments, units.size());
  check_seeds(arguments, options.budget, units);
  if (arguments.list) {
    cli::OutputFile out("-");
    for (const std::unique_ptr<Unit>& unit : units) out.write(unit->name() + "\n");
    out.finish();
    return cli::exit_pass;
  }
  static_cast<void>(hang_limit_in_force());  // refuses a variable before anything begins
  StressOutput output(arguments.json, arguments.junit);
  output.begin();
  PendingSignals signals;
  try {
    run_units(units, options, signals, output);
  } catch (const std::exception& error) {
    if (!output.has_failed()) throw;
    cli::complain_of(error, remedies, known);
  }
  return output.finish(units.size(), options, signals.exit_code());
}

ExitCode execute(int argc, char** argv) {
  CLI::App app("Runs scenarios and drawn graphs on OS threads, with schedule noise.", "pto2");
  app.require_subcommand(1);
  Arguments arguments;
  CLI::App* const command =
      app.add_subcommand("stress", "run scenarios and drawn graphs on OS threads, at length");
  add_options(*command, arguments);
  if (const auto code = cli::parse_command_line(app, argc, argv)) return *code;
  return run(*command, arguments);
}

}  // namespace

Units scenario_units() {
  Units units;
  add_pieces(units);
  add_whole_runtime(units);
  if (units.size() != scenarios::scenario_count) {
    throw std::logic_error("not every scenario is a unit");
  }
  return units;
}

}  // namespace pto2::stress

int main(int argc, char** argv) {
  using namespace pto2::stress;
  pto2::executors::keep_freed_memory();
  return pto2::cli::guarded([&] { return execute(argc, argv); }, remedies, known);
}
