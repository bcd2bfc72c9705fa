/// The program behind `pto2 simulate`, and `pto2 replay` of a token of it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "runtime/device/crash_guard.hpp"
#include "runtime/device/standing_guard.hpp"
#include "runtime/executors/freed_memory.hpp"
#include "runtime/executors/weak_memory.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/output/command_line.hpp"
#include "runtime/output/guarded.hpp"
#include "runtime/output/interruption.hpp"
#include "runtime/output/numbers.hpp"
#include "runtime/output/replay_help.hpp"
#include "runtime/output/replay_token.hpp"
#include "runtime/output/result_files.hpp"
#include "runtime/output/stderr_text.hpp"
#include "runtime/record/trace_writer.hpp"
#include "runtime/workloads/workload.hpp"
#include "stress/crash_report.hpp"
#include "stress/simulation/memory_reserve.hpp"
#include "stress/simulation/simulate_output.hpp"

namespace pto2::simulations {
namespace {

using cli::CliError;
using cli::ExitCode;
using cli::Interruption;
using executors::WeakMemory;

const uint64_t usual_deadline = DeviceConfig{}.deadline_ms / 1000;

struct Arguments {
  Options options;
  bool random_graphs = false;
  std::string graphs = "plain";
  std::string strategy = "sc";
  std::string seeds = "1..1000";
  std::string faults;
  uint64_t deadline = usual_deadline;
  uint32_t jobs = 1;
  bool shrink = true;
  std::string json;
  std::string junit;
};

constexpr const char* footer = R"(Examples:
  pto2 simulate paged_attention --case CaseBatch256 --stub-kernels --seeds 1..100000
  pto2 simulate paged_attention --case CaseBatch256 --strategy random --jobs 2
  pto2 simulate --random-graphs --graphs clustered --strategy pct
  pto2 replay simulate/graphs:plain@pct:17

Each seed is one run of the whole runtime: device, sizes and schedule follow from it, and so does
the graph with --random-graphs. A run is right if it ends as a counting oracle predicts, each task
ran once and after its producers, on the right data, all memory came back, and pto2 validate passes
its trace. One seed in 64 runs twice, and must be the same run. Ten wrong seeds are enough, and so
is one whose kernel does not return in --deadline seconds: those that follow are not tried.

Faults (docs/SIMULATION.md): slow_core and slow_scheduler take long for each step, a core with
lost_before_ack, lost_after_ack or lost_before_fin takes none any more from there on, answers_twice
reports the end of a task once more, and kept_group is a cluster that is not freed before its scope
ends, of --graphs clustered without --mistakes. Where and when follows from the seed. A lost core
must end the run in core_lost.

Strategies: sc is sequentially consistent memory under schedules of all kinds. The others have
memory as weak as C++ allows, and find data races: random lets any thread go on at each point, pct
has random priorities that change a few times, bursts lets a thread go on for a while.

Exit codes: 0 all runs were right, 1 a run was wrong, 2 usage, 3 bad input, 4 inconclusive (no run,
or 1000 and more that did not show every kind of outcome), 5 a kernel or an orchestration ended the
program (it crashed, called exit(), threw before the first run, or did not return where it cannot be
left: stderr says how to repeat the run, and no result is written), 130 interrupted, 143 terminated.
A run that was wrong before an interruption, or before memory or threads ended, counts more.)";

/// Empty: parse_faults() takes it.
std::string refusal_of_faults(const std::string& list) {
  try {
    static_cast<void>(parse_faults(list));
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

/// Options that have no effect without `--random-graphs`, or with it.
void check_combinations(const CLI::App& command, bool random_graphs) {
  const auto refuse = [&](const char* option, const char* with) {
    if (command.get_option(option)->count() == 0) return;
    throw CliError(cli::exit_usage, fmt::format("{} goes with {}", option, with));
  };
  if (random_graphs) {
    for (const char* option : {"--case", "--stub-kernels"}) {
      refuse(option, "a WORKLOAD, not with --random-graphs");
    }
  } else {
    for (const char* option : {"--graphs", "--mistakes"}) {
      refuse(option, "--random-graphs, not with a WORKLOAD");
    }
  }
}

void complete(Arguments& arguments) {
  Options& options = arguments.options;
  if (arguments.random_graphs != options.workload.empty()) {
    throw CliError(cli::exit_usage,
                   arguments.random_graphs
                       ? "a workload is no random graph: name one of the two"
                       : "name a WORKLOAD (pto2 list has them), or --random-graphs");
  }
  options.clustered = arguments.graphs == "clustered";
  if (!arguments.faults.empty()) options.faults = parse_faults(arguments.faults);
  options.executor = executor_with_strategy(arguments.strategy);
  options.deadline_ms = 1000 * arguments.deadline;
  if (!options.workload.empty() && options.case_name.empty()) {
    try {
      options.case_name = workloads::find_workload(options.workload).cases().front().name;
    } catch (const std::invalid_argument& error) {
      throw CliError(cli::exit_usage, error.what());
    }
  }
}

const cli::Remedies remedies{.memory = "use fewer --jobs, or a smaller case",
                             .thread = "use fewer --jobs"};

std::optional<CliError> known(const std::exception& error) {
  if (dynamic_cast<const LoadError*>(&error) == nullptr) return std::nullopt;
  return CliError(cli::exit_bad_input, error.what());
}

/// Of the first wrong seed. Nothing if it has no end, or what has come of it is right when it runs
/// again: what is wrong is told all the same, as it is; also if the program ends here.
std::optional<Shrunk> shrunk_of(const Options& options, const Summary& summary) {
  const uint64_t seed = summary.wrong.front().seed;
  cli::print_to_stderr("pto2: seed {} is wrong; making it smaller\n", seed);
  CrashReport found([&](uint64_t number) { return replay_command(Token{options, number, {}}); });
  for (const WrongSeed& wrong : summary.wrong) found.add_wrong(wrong.seed);
  try {
    const StandingGuard at_crash;
    Shrunk shrunk = make_subject(options)->shrink(seed);
    if (shrunk.wrong) return shrunk;
    cli::print_to_stderr(
        "pto2: what seed {} was made smaller to is right when it runs again; does a kernel "
        "remember?\n",
        seed);
    return std::nullopt;
  } catch (const std::exception& error) {
    MemoryReserve::release();
    cli::complain_of(error, remedies, known);
    return std::nullopt;
  }
}

/// What has kept the seeds that follow from being tried.
void tell_failure(const std::exception_ptr& failure) {
  if (failure == nullptr) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    cli::complain_of(error, remedies, known);
  }
}

ExitCode run_simulate(const CLI::App& command, Arguments& arguments) {
  cli::refuse_empty(command, {"WORKLOAD", "--case", "--seeds", "--weaken"});
  complete(arguments);
  check_combinations(command, arguments.random_graphs);
  const cli::NumberRange seeds = cli::parse_range("--seeds", arguments.seeds);
  SimulateOutput output(arguments.json, arguments.junit);
  const Interruption interruption(Interruption::First::requests_stop);
  arguments.options.stop = interruption.stop();
  arguments.options.begins = [&] { output.begin(); };
  const Summary summary = simulate(arguments.options, seeds, arguments.jobs, interruption.stop());
  check_weakening(arguments.options, summary, interruption.exit_code().has_value());
  tell_failure(summary.failure);
  std::optional<Shrunk> shrunk;
  if (summary.may_shrink() && arguments.shrink && !interruption.exit_code()) {
    shrunk = shrunk_of(arguments.options, summary);
  }
  return output.finish(arguments.options, seeds, summary, shrunk, interruption.exit_code());
}

/// What was to fail, of a token that lists faults. A run without points has not said what it came
/// to.
std::string text_of_fault(const SimulatedRun& run, bool has_story) {
  if (run.fault == Fault::none) return "fault: none was drawn\n";
  std::string text = has_story ? "" : run.fault_text;
  if (run.points != 0) {
    text += fmt::format("the run {} to the fault\n", run.fault_reached ? "came" : "did not come");
  }
  return text;
}

/// The story, if there is one, tells what is wrong and what was to fail.
std::string text_of(const SimulatedRun& run, std::string story, const FaultSet& faults) {
  const bool has_story = !story.empty();
  if (!has_story) {
    for (const std::string& problem : run.problems) story += fmt::format("wrong: {}\n", problem);
  }
  if (faults.any()) story += text_of_fault(run, has_story);
  return story + fmt::format("{}: {} tasks, {} points\n", run.outcome, run.tasks, run.points);
}

/// The weakening of a token asks for an effect that only weak memory shows. Throws TokenError.
std::unique_ptr<Subject> subject_of(const std::string& text, const Token& token) {
  if (!token.options.weaken.empty() && !row_of(token.options.executor).weak_memory) {
    throw cli::TokenError(text, cli::TokenPart::weakening,
                          "without effect on the memory of the strategy sc");
  }
  try {
    return make_subject(token.options);
  } catch (const CliError& error) {
    if (error.code() != cli::exit_usage) throw;
    throw cli::TokenError(text, cli::TokenPart::subject, error.what());
  }
}

/// The run of a token, and the story of a smaller one. Throws TokenError.
SimulatedRun replay(const std::string& text, const Token& token, std::string& story) {
  const std::unique_ptr<Subject> subject = subject_of(text, token);
  SimulatedRun run;
  try {
    run = token.shrunk.empty() ? run_seed(*subject, token.options.executor, token.seed)
                               : subject->run_shrunk(token.seed, token.shrunk, story);
  } catch (const std::invalid_argument& error) {
    throw cli::TokenError(text, cli::TokenPart::payload, error.what());
  }
  const bool has_effect = token.options.weaken.empty() || WeakMemory::weakening_was_used;
  if (run.wrong() || has_effect) return run;
  throw cli::TokenError(text, cli::TokenPart::weakening,
                        "the run asked for no memory order of this name");
}

/// What did not come to its end has no points, and no record.
void write_trace_of(const SimulatedRun& run, cli::OutputFile& file, cli::ResultFiles& results) {
  if (run.result.points == 0) {
    cli::print_to_stderr("pto2: there is no trace of a run that did not come to its end\n");
    return;
  }
  write_trace(run.result.record, [&](std::string_view lines) { file.write(lines); });
  results.finish_trace();
}

/// `deadline`: in seconds.
ExitCode run_replay(const std::string& text, const std::string& trace, uint64_t deadline) {
  try {
    Token token = parse_token(text);
    token.options.deadline_ms = 1000 * deadline;
    cli::ResultFiles results(cli::ResultNames{.trace = trace});
    token.options.begins = [&] { results.remove_former(); };
    std::string story;
    const SimulatedRun run = replay(text, token, story);
    results.print(text_of(run, std::move(story), token.options.faults));
    if (cli::OutputFile* const file = results.trace()) write_trace_of(run, *file, results);
    results.finish();
    return run.wrong() ? cli::exit_fail : cli::exit_pass;
  } catch (const cli::TokenError& error) {
    throw CliError(cli::exit_bad_input, error.what());
  }
}

void add_deadline(CLI::App& command, uint64_t& seconds, const char* text) {
  command.add_option("--deadline", seconds, text)
      ->transform(cli::whole_number_in(0, 1'000'000))
      ->capture_default_str();
}

void add_options(CLI::App* app, Arguments& arguments) {
  app->footer(footer);
  app->add_option("WORKLOAD", arguments.options.workload, "what to run (see pto2 list)");
  app->add_option("--case", arguments.options.case_name,
                  "case of the workload (default: its first)");
  app->add_flag("--random-graphs", arguments.random_graphs, "another graph for each seed");
  app->add_option("--graphs", arguments.graphs,
                  "plain, or clustered: groups, pinned tasks, block tasks, pipes")
      ->check(cli::one_of({"plain", "clustered"}))
      ->capture_default_str();
  app->add_flag("--mistakes", arguments.options.mistakes,
                "each random graph makes a mistake that ends it");
  app->add_option("--faults", arguments.faults,
                  "what may fail in a run, one or nothing: names with commas, or all")
      ->check(refusal_of_faults);
  app->add_option("--seeds", arguments.seeds, "A..B, both included")->capture_default_str();
  app->add_option("--strategy", arguments.strategy, "who runs next, and what loads see")
      ->check(cli::one_of({"sc", "random", "pct", "bursts"}))
      ->capture_default_str();
  app->add_flag("--stub-kernels", arguments.options.stub_kernels,
                "kernels that check the order of their data and compute nothing");
  app->add_flag("--validate,!--no-validate", arguments.options.validate,
                "judge the record of each run, as pto2 validate does [yes]");
  app->add_flag("--shrink,!--no-shrink", arguments.shrink,
                "make the first wrong run smaller [yes]");
  app->add_option("--weaken", arguments.options.weaken,
                  "make this memory order relaxed (docs/PROTOCOLS.md): is it needed?");
  add_deadline(*app, arguments.deadline,
               "seconds after which a kernel that has not returned, or an orchestration that has "
               "not called, ends its run as wrong, and the seeds; 0: never");
  app->add_option("--jobs", arguments.jobs, "runs at a time")
      ->transform(cli::whole_number_in(1, 256))
      ->capture_default_str();
  app->add_option("--json", arguments.json, "write the result as JSON; - is stdout")
      ->check(cli::refusal_of_file_name);
  app->add_option("--junit", arguments.junit, "write it as JUnit XML; - is stdout")
      ->check(cli::refusal_of_file_name);
}

ExitCode execute(int argc, char** argv) {
  CLI::App app("Runs the whole runtime from seeds.", "pto2");
  app.require_subcommand(1);
  Arguments arguments;
  CLI::App* const simulate_command =
      app.add_subcommand("simulate", "run the whole runtime from seeds, against an oracle");
  add_options(simulate_command, arguments);
  std::string token;
  CLI::App* const replay_command =
      app.add_subcommand("replay", "repeat one execution, or one run, from the token of a report");
  replay_command->footer(cli::replay_footer());
  replay_command->add_option("token", token, "as simulate prints it")->required();
  std::string trace;
  replay_command
      ->add_option("--trace", trace, "write the run's trace, for pto2 validate; - is stdout")
      ->check(cli::refusal_of_file_name);
  uint64_t deadline = usual_deadline;
  add_deadline(*replay_command, deadline,
               "seconds after which a kernel that has not returned, or an orchestration that has "
               "not called, ends the run; 0: never");
  if (const auto code = cli::parse_command_line(app, argc, argv)) return *code;
  return simulate_command->parsed() ? run_simulate(*simulate_command, arguments)
                                    : run_replay(token, trace, deadline);
}

std::terminate_handler usual_terminate = std::abort;

void tell_what_was_found() {
  MemoryReserve::release();
  try {
    CrashGuard::say_more();
  } catch (const std::bad_alloc&) {
    // even so there is too little
  }
}

/// Memory may end where nothing may be thrown: while something is taken down, for one. What was
/// found before is told as after a crash. That of a kernel is the machine's, as where it may throw.
[[noreturn]] void terminate() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    tell_what_was_found();
    cli::end_without_memory(remedies);
  } catch (...) {
    // nothing is amiss with memory
  }
  usual_terminate();
  std::abort();
}

/// The handler of guarded() comes after this one, for all else.
int run(int argc, char** argv) {
  usual_terminate = std::set_terminate(terminate);
  return execute(argc, argv);
}

}  // namespace
}  // namespace pto2::simulations

int main(int argc, char** argv) {
  using namespace pto2::simulations;
  pto2::executors::keep_freed_memory();
  MemoryReserve::install();
  return pto2::cli::guarded([&] { return run(argc, argv); }, remedies, known);
}
