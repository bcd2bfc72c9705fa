#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/executor_settings.hpp"
#include "runtime/cli/isolation.hpp"
#include "runtime/cli/measured_run.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/repetitions.hpp"
#include "runtime/cli/run_errors.hpp"
#include "runtime/cli/run_exit_code.hpp"
#include "runtime/cli/run_program.hpp"
#include "runtime/cli/run_report.hpp"
#include "runtime/cli/setting_values.hpp"
#include "runtime/cli/settings.hpp"
#include "runtime/cli/trace_file.hpp"
#include "runtime/device/crash_guard.hpp"
#include "runtime/device/exit_guard.hpp"
#include "runtime/output/interruption.hpp"
#include "runtime/output/json_text.hpp"
#include "runtime/output/result_files.hpp"
#include "runtime/output/stderr_text.hpp"

namespace pto2::cli {
namespace {

namespace fs = std::filesystem;

const char* environment(const char* name) {
  return std::getenv(name);
}

std::string help_of(const SettingSpec& spec) {
  std::string help = spec.help;
  const bool complete = spec.kind == ValueKind::text || spec.kind == ValueKind::option;
  if (!complete) help += ": " + allowed_values(spec);
  if (!spec.built_in.empty()) {
    const bool size = spec.kind == ValueKind::size;
    help += fmt::format(" [{}]", size ? size_text(std::stoull(spec.built_in)) : spec.built_in);
  }
  const std::string variables = variables_of(spec);
  if (!variables.empty()) help += fmt::format(" ({})", variables);
  return help;
}

/// CLI11 has what a flag says without a value in its name, as "--guard{on}".
class HelpOfFlags : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const std::size_t brace = name.find('{');
    if (brace != std::string::npos) name.replace(brace, std::string::npos, "[=VALUE]");
    return name;
  }
};

bool is_isolated(const Settings& settings) {
  return settings.text(Setting::isolate) == "on";
}

/// On stderr.
void tell(const RunError& error) {
  print_to_stderr("{}{}\n{}\n", error.message.starts_with("FATAL") ? "" : "FATAL: ", error.message,
                  error.hint);
}

/// Says that a run was expected to end otherwise, if it was.
void complain_of_end(const RunReport& report) {
  if (report.expected.empty() || report.is_as_expected()) return;
  const std::string& name = report.settings->text(Setting::case_name);
  print_to_stderr(
      "pto2: {} ended in {}, expected {}; --print-config shows where its settings are from\n",
      name.empty() ? "the run" : "case " + name, report.outcome(), report.expected);
}

/// Says on stderr what is wrong with a run, also when it was expected.
void complain_of(const RunReport& report) {
  for (const std::string& rule : report.broken_rules) {
    print_to_stderr(
        "pto2: the events of the run break a rule: {}; this is a bug, report it with "
        "the command line and the trace\n",
        rule);
  }
  if (report.is_interrupted()) return;  // said when the signal came
  if (report.result.error.code != ErrorCode::ok) tell(report.result.error);
  complain_of_end(report);
}

/// Of a run that has no result but its trace.
void warn_of(const RunReport& report) {
  for (const std::string& warning : report.warnings()) {
    print_to_stderr("pto2: warning: {}\n", warning);
  }
}

constexpr const char* run_footer =
    R"(Sizes take K, M, G for 2^10, 2^20, 2^30. Each setting comes from its flag, else the variable
in parentheses, else the config file (TOML: window = 16), else the case or the platform, else the
default in brackets. A variable of a workload's counts for that workload alone. docs/CHIPS.md says
how to write a chip file.

Examples:
  pto2 run paged_attention --case CaseBatch256
  pto2 run paged_attention --case CaseBatch256 --window 8     a deadlock, explained; exit code 5
  pto2 run deadlock --case heap --expect heap_ring_deadlock   exit code 0: it ends as expected
  pto2 run deadlock --all                                     all cases, a line for each
  pto2 run paged_attention --platform a5sim --blocks 12
  pto2 run paged_attention_seq --executor seeded --seed 7 --trace trace.jsonl
  pto2 run paged_attention --repeat 20 --json -
  pto2 run paged_attention --repeat 20 --replay-graph         the graph is inferred once
  pto2 run --orchestration mine.so --kernels kernels --arg buffer:64K:random --arg scalar:3

Exit codes: 0 pass, 1 wrong result, 2 usage, 3 bad input, 4 inconclusive (no reference),
5 runtime fault, 70 a bug of pto2 (with --isolate also a crash on a thread that an image has
started, or in memory that a kernel has damaged), 130 interrupted, 134, 139 and the like a crash
outside the run, 143 terminated. With --expect or --all: 0 if it ends as expected, 1 if it ends
otherwise; 2, 3, 70 and above as without.
SIGINT (Ctrl-C) and SIGTERM end a run early with what was done. Kernels that run are waited for, and
an orchestration, whose calls do nothing any more; simulations go on to the end of the repetition. A
second signal ends the process at once.)";

struct InputFile {
  std::string option;
  std::string path;
};

class RunCommand : public Command {
 public:
  explicit RunCommand(CLI::App& subcommand);

  /// Throws CliError, LoadError, std::bad_alloc, executors::SeededFailure.
  ExitCode execute() override;

 private:
  struct Option {
    std::string text;
    CLI::Option* option = nullptr;
  };
  void add_setting(CLI::App& subcommand, const SettingSpec& spec);
  void add_options_of_folders(CLI::App& subcommand);
  /// The settings, with `case_name` instead of the case, if it is not empty.
  Settings resolve(const std::string& case_name = {}) const;
  void check_combinations(const Settings& settings) const;
  void check_expectation(const Settings& settings) const;
  std::vector<InputFile> inputs(const Settings& settings) const;
  void check_files(const Settings& settings) const;
  ExitCode print_config(const Settings& settings) const;
  RunReport measure(const Settings& settings, ResultFiles& results,
                    const Interruption& interruption) const;
  RunReport measure_case(const Settings& settings, bool is_first, ResultFiles& results,
                         const Interruption& interruption) const;
  ExitCode run(const Settings& settings);
  ExitCode report_loss(const Settings& settings, const IsolatedEnd& end, ResultFiles& results);
  ExitCode run_all();

  std::map<std::string, Option> options_;  ///< of settings, by name
  OwnImages own_;
  std::string trace_;
  std::string json_;
  std::string config_;
  std::vector<ConfigEntry> in_config_;  ///< it may be a pipe, and is read once
  bool quiet_ = false;
  bool print_config_ = false;
  bool all_ = false;
  std::string of_folders_;  ///< an option of pto2 run-folder that was given
};

RunCommand::RunCommand(CLI::App& subcommand) {
  subcommand.formatter(std::make_shared<HelpOfFlags>());
  for (const SettingSpec& spec : setting_specs()) add_setting(subcommand, spec);
  subcommand
      .add_option("--orchestration", own_.orchestration,
                  "shared object of your own orchestration; without a WORKLOAD there is no "
                  "reference, and the verdict is inconclusive")
      ->type_name("FILE");
  subcommand.add_option("--kernels", own_.kernels, "folder of your own kernels, FUNCID_NAME.so")
      ->type_name("DIR");
  subcommand
      .add_option("--arg", own_.arguments,
                  "an argument of the orchestration, in order: scalar:N, "
                  "buffer:BYTES[:zero|:random] (random: floats in -1..1)")
      ->type_name("ARG")
      ->expected(1)
      ->take_all();
  const auto add_file = [&](const char* name, std::string& path, const char* help) {
    subcommand.add_option(name, path, help)->type_name("FILE")->check(refusal_of_file_name);
  };
  add_file("--trace", trace_,
           "write a trace of the last repetition that ran as JSON lines, for pto2 validate; "
           "- is stdout");
  add_file("--json", json_,
           "write the result as JSON; - is stdout, and what kernels print there goes to stderr");
  add_file("--config", config_, "read settings from a TOML file");
  subcommand.add_flag("--quiet", quiet_,
                      "no text on stdout but what --print-config asks for, errors alone on stderr");
  subcommand.add_flag("--print-config", print_config_,
                      "print each setting, its value and its source instead of running");
  CLI::Option* const all = subcommand.add_flag(
      "--all", all_, "run all cases of the workload, each of which must end as pto2 list says");
  for (const char* other : {"--case", "--expect", "--trace", "--print-config", "--isolate"}) {
    all->excludes(subcommand.get_option(other));
  }
  add_options_of_folders(subcommand);
  subcommand.footer(run_footer);
}

/// Whoever has a folder may look for it here.
void RunCommand::add_options_of_folders(CLI::App& subcommand) {
  for (const char* name : {"--kernel-checks", "-g,--golden", "-k"}) {
    subcommand
        .add_option_function<std::string>(
            name, [this, name](const std::string&) { of_folders_ = name; }, "")
        ->group("");
  }
}

void RunCommand::add_setting(CLI::App& subcommand, const SettingSpec& spec) {
  Option& option = options_[spec.name];
  const bool positional = spec.id == Setting::workload;
  if (spec.bare != nullptr) {
    option.option = subcommand.add_flag(fmt::format("--{}{{{}}}", spec.name, spec.bare),
                                        option.text, help_of(spec));
    return;
  }
  option.option = subcommand.add_option(positional ? "WORKLOAD" : std::string("--") + spec.name,
                                        option.text, help_of(spec));
  option.option->type_name(positional ? "" : "VALUE");
}

Settings RunCommand::resolve(const std::string& case_name) const {
  SettingSources sources{{}, {}, environment};
  for (const auto& [name, option] : options_) {
    if (option.option->count() != 0) sources.flags[name] = option.text;
  }
  sources.config_file = in_config_;
  if (!case_name.empty()) sources.flags[spec_of(Setting::case_name).name] = case_name;
  return Settings(sources);
}

void RunCommand::check_combinations(const Settings& settings) const {
  check_executor_flags(settings);
  const bool arguments_alone = !own_.arguments.empty() && own_.orchestration.empty();
  if (arguments_alone) throw CliError(exit_usage, "--arg needs --orchestration and --kernels");
  if (settings.workload() == nullptr && (own_.orchestration.empty() || own_.kernels.empty())) {
    throw CliError(exit_usage,
                   "name a WORKLOAD (pto2 list shows them), or both --orchestration and --kernels");
  }
  check_replay(settings);
  if (settings[Setting::trace_events].source == Source::flag && trace_.empty()) {
    throw CliError(exit_usage, "--trace-events needs --trace: without it no events are kept");
  }
  check_expectation(settings);
}

/// What ends the process of a run can be told by another alone.
void RunCommand::check_expectation(const Settings& settings) const {
  if (is_isolated(settings) || all_) return;
  const SettingValue& expected = settings[Setting::expect];
  for (const ErrorCode code : {ErrorCode::crashed, ErrorCode::exited}) {
    if (expected.text != error_name(code)) continue;
    throw CliError(
        culprit_of(expected, settings[Setting::isolate]).error_code(),
        fmt::format("{} {} needs --isolate, with which that is an outcome that can be expected; "
                    "without it the process ends that would report it",
                    expected.place(), expected.text));
  }
}

/// The files that options name. In the folder of the kernels only shared objects are read.
std::vector<InputFile> RunCommand::inputs(const Settings& settings) const {
  std::vector<InputFile> files;
  if (!config_.empty()) files.push_back({"--config", config_});
  // A known chip is no file.
  const std::string& platform = settings.text(Setting::platform);
  if (platform.ends_with(".toml")) files.push_back({"--platform", platform});
  if (!own_.orchestration.empty()) files.push_back({"--orchestration", own_.orchestration});
  if (own_.kernels.empty()) return files;
  std::error_code error;
  fs::directory_iterator entry(own_.kernels, error);
  for (; entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".so") files.push_back({"--kernels", path.string()});
  }
  return files;
}

/// No output may be an input, which would be lost.
void RunCommand::check_files(const Settings& settings) const {
  const std::pair<const char*, std::string> outputs[] = {{"--trace", trace_}, {"--json", json_}};
  const std::vector<InputFile> all_inputs = inputs(settings);
  for (const auto& [output, written] : outputs) {
    if (written.empty()) continue;
    for (const auto& [input, read] : all_inputs) {
      if (!is_same_file(written, read)) continue;
      throw CliError(exit_usage,
                     fmt::format("{} would overwrite {}, which {} reads; name another file", output,
                                 written, input));
    }
  }
}

ExitCode RunCommand::execute() {
  if (!of_folders_.empty()) {
    throw CliError(exit_usage,
                   fmt::format("{} is an option of pto2 run-folder, which compiles and runs a "
                               "folder with a golden.py: pto2 run-folder FOLDER",
                               of_folders_));
  }
  if (!config_.empty()) in_config_ = read_config_file(config_);
  if (all_) return run_all();
  const Settings settings = resolve();
  check_files(settings);
  if (print_config_) return print_config(settings);
  check_combinations(settings);
  return run(settings);
}

ExitCode RunCommand::print_config(const Settings& settings) const {
  static_cast<void>(settings.device_config());  // says what does not fit together
  ResultFiles results(ResultNames{.json = json_});
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SettingSpec& spec : setting_specs()) {
    const SettingValue& value = settings[spec];
    const std::string origin = value.origin.empty() ? "" : " (" + value.origin + ")";
    text += fmt::format("{:<15} {:<26} {}{}\n", spec.name, value.text.empty() ? "-" : value.text,
                        source_name(value.source), origin);
    list.push_back({{"name", spec.name},
                    {"value", value.text},
                    {"source", source_name(value.source)},
                    {"origin", value.origin}});
  }
  if (json_.empty()) results.print(text);
  results.finish([&] { return text_of_json({{"schema", "pto2-config/1"}, {"settings", list}}); });
  return exit_pass;
}

/// Until the first signal, and a second one ends the process at once. Earlier results are gone
/// before code of the user's can end it, too.
RunReport RunCommand::measure(const Settings& settings, ResultFiles& results,
                              const Interruption& interruption) const {
  // A launch has one of its own, which knows more.
  const ExitGuard guard(
      [] { return std::string("an image that was loaded, or a thread that one has started,"); });
  Progress progress(!quiet_);
  const Measurement wanted{.log_level = quiet_ ? "error" : settings.text(Setting::log_level),
                           .traced = results.trace() != nullptr,
                           .begins = [&] { results.remove_former(); },
                           .stop = interruption.stop()};
  RunReport report = pto2::cli::measure(settings, own_, wanted, progress);
  report.interrupted = interruption.exit_code().value_or(exit_interrupted);
  return report;
}

/// What the process of the run would have reported if it had lived. There is no trace, not even an
/// earlier one.
ExitCode RunCommand::report_loss(const Settings& settings, const IsolatedEnd& end,
                                 ResultFiles& results) {
  if (!end.is_told) tell(end.error);
  results.begin_again();
  RunReport report = fault_report(settings, end.error);
  report.is_lost = true;
  complain_of_end(report);
  if (!quiet_) results.print(to_text(report));
  results.finish([&] { return to_json(report); });
  return exit_code(report);
}

ExitCode RunCommand::run(const Settings& settings) {
  // Before there are two processes, each of which would wait for the reader of a pipe.
  ResultFiles results(ResultNames{.json = json_, .trace = trace_});
  if (is_isolated(settings)) {
    const std::optional<IsolatedEnd> ended = isolate();
    if (ended && !ended->warning.empty()) print_to_stderr("pto2: warning: {}\n", ended->warning);
    if (ended && ended->error.code == ErrorCode::ok) return ended->code;
    if (ended) return report_loss(settings, *ended, results);
  } else {
    CrashGuard::advise("; run with --isolate to have the result all the same, in --json too");
  }
  OutputFile* const trace = results.trace();
  const Interruption interruption(Interruption::First::requests_stop);
  RunReport report = measure(settings, results, interruption);
  complain_of(report);
  if (!quiet_) results.print(to_text(report));
  if (!quiet_ && !results.has_text() && json_.empty()) warn_of(report);
  if (trace != nullptr && report.repetitions == 0) {
    print_to_stderr("pto2: there is no trace of a run that has not begun\n");
  } else if (trace != nullptr) {
    write_trace(*trace, report);
    results.finish_trace();
  }
  results.finish([&] { return to_json(report); });
  return exit_code(report);
}

/// Flags that name one run are excluded; a file or a variable may do so as well.
void check_settings_of_all(const Settings& common) {
  const auto refuse = [&](Setting id, const char* reason) {
    const SettingValue& value = common[id];
    throw CliError(value.error_code(), fmt::format("{}: --all {}", value.place(), reason));
  };
  const auto is_given = [&](Setting id) { return common[id].source != Source::built_in; };
  if (is_isolated(common)) refuse(Setting::isolate, "runs its cases in one process");
  if (is_given(Setting::case_name)) refuse(Setting::case_name, "runs every case; leave it out");
  if (is_given(Setting::expect)) {
    refuse(Setting::expect, "expects of each case what pto2 list shows; leave it out");
  }
}

/// One that cannot be made, or run, is an error, and keeps nothing of the others from being told: a
/// wrong command line ends all, but for one that only a later case shows, and so does a file for
/// the results of all that cannot replace an earlier one.
RunReport RunCommand::measure_case(const Settings& settings, bool is_first, ResultFiles& results,
                                   const Interruption& interruption) const {
  try {
    return measure(settings, results, interruption);
  } catch (const std::exception& error) {
    if (dynamic_cast<const OutputError*>(&error) != nullptr) throw;
    const CliError told = told_of(error, run_remedies(), known_error);
    if (is_first && told.code() == exit_usage) throw;
    complain(told.code(),
             fmt::format("case {}: {}", settings.text(Setting::case_name), told.what()));
    return error_report(settings, told);
  }
}

ExitCode RunCommand::run_all() {
  const Settings common = resolve();
  check_files(common);
  check_combinations(common);
  if (common.workload() == nullptr) {
    throw CliError(exit_usage, "--all needs a WORKLOAD, whose cases it runs; pto2 list shows them");
  }
  check_settings_of_all(common);
  std::deque<Settings> settings;  // the reports point to them
  for (const workloads::CaseInfo& info : common.workload()->cases()) {
    settings.push_back(resolve(info.name));
    static_cast<void>(settings.back().device_config());  // now, not with results to lose
  }
  ResultFiles results(ResultNames{.json = json_});
  std::vector<RunReport> reports;
  ExitCode worst = exit_pass;
  const Interruption interruption(Interruption::First::requests_stop);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    RunReport report = measure_case(settings[i], i == 0, results, interruption);
    report.expected = common.workload()->cases()[i].outcome();
    const bool is_last = report.is_interrupted();
    worst = worse_of(worst, report);
    if (exit_code(report) != exit_pass && !report.is_error()) complain_of(report);
    if (!quiet_) results.print(to_line(report));
    reports.push_back(std::move(report));
    if (is_last) break;
  }
  results.finish([&] { return to_json(reports); });
  return worst;
}

}  // namespace

std::unique_ptr<Command> make_run_command(CLI::App& subcommand) {
  return std::make_unique<RunCommand>(subcommand);
}

}  // namespace pto2::cli
