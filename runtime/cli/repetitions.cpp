#include "runtime/cli/repetitions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/cli/median_run.hpp"
#include "runtime/judge/judge.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/stderr_text.hpp"

namespace pto2::cli {
namespace {

constexpr const char* level_names[] = {"error", "warn", "info", "debug"};

const char* name_of(int32_t level) {
  return level == PTO2_LOG_ALWAYS ? "always" : level_names[level];
}

int32_t level_of(const std::string& name) {
  return static_cast<int32_t>(std::find(std::begin(level_names), std::end(level_names), name) -
                              std::begin(level_names));
}

}  // namespace

void check_replay(const Settings& settings) {
  if (settings.text(Setting::replay_graph) == "on" && settings.number(Setting::repeat) == 1) {
    const SettingValue& replay = settings[Setting::replay_graph];
    throw CliError(culprit_of(replay, settings[Setting::repeat]).error_code(),
                   replay.place() + " needs --repeat 2 or more: the first repetition is recorded");
  }
}

Repetitions::Repetitions(const Settings& settings, const DeviceConfig& config, RunProgram& program,
                         Progress& progress, const std::string& log_level, std::stop_token stop)
    : settings_(settings),
      config_(config),
      executor_(executor_of(settings)),
      program_(program),
      progress_(progress),
      log_level_(level_of(log_level)),
      stop_(std::move(stop)) {
  report_.settings = &settings;
  report_.expected = settings.text(Setting::expect);
  report_.config = config;
  report_.team = team_of(executor_);
  for (int32_t id = 0; id < program.library().id_limit(); ++id) {
    const Kernel* kernel = program.library().find(id);
    report_.kernel_names.push_back(kernel == nullptr ? "" : kernel->name);
  }
  if (settings.text(Setting::replay_graph) == "on") report_.graph.emplace();
  if (program.data() != nullptr) report_.tolerance = program.data()->tolerance();
}

RunReport Repetitions::run(uint64_t trace_events) {
  const uint64_t wanted = settings_.number(Setting::repeat);
  MedianRun median(wanted);
  std::optional<RunResult> last;
  while (report_.verdict.empty()) {
    // A launch that has heard of it says so. A simulation has not, nor has who verifies.
    if (stop_.stop_requested()) {
      interrupt(fmt::format("after {} of {} repetitions", report_.repetitions, wanted));
      break;
    }
    if (report_.repetitions == wanted) break;
    progress_.step("running", report_.repetitions, wanted);
    DeviceConfig config = config_;
    config.kernel_timing = !is_simulated(executor_.executor);
    config.events = trace_events;
    program_.reset();
    last.reset();  // its record is large
    last = launch_once(config);
    median.add(*last);
    ++report_.repetitions;
    judge(*last);
    if (config.events != 0) judge_record(last->record);
  }
  if (!last) return std::move(report_);
  report_.result = *std::move(last);
  report_.wall_s = static_cast<double>(report_.result.wall_ns) * 1e-9;
  if (report_.verdict.empty()) {
    report_.verdict = program_.data() != nullptr ? "pass" : "inconclusive";
    if (program_.data() == nullptr) report_.detail = "there is no reference to compare with";
    report_.wall_s = median.seconds();
    median.put_into(report_.result);
  }
  return std::move(report_);
}

RunResult Repetitions::launch_once(const DeviceConfig& config) {
  Launch what{program_.kernels(), [this](PTO2Runtime* runtime) { program_.build_graph(runtime); },
              [this](int32_t level, const char* text) {
                if (level < PTO2_LOG_ALWAYS || level > log_level_) return;
                print_to_stderr("pto2: {}: {}\n", name_of(level), text);
              },
              stop_};
  what.declared = program_.declared();
  what.arrays = program_.arrays();
  if (!report_.graph) return launch(executor_, config, what);
  what.graph = &graph_;
  RunResult result = launch(executor_, config, what);
  report_.graph->add(result);
  return result;
}

void Repetitions::interrupt(const std::string& detail) {
  report_.verdict = "interrupted";
  report_.detail = detail;
}

void Repetitions::judge(const RunResult& result) {
  if (result.error.code == ErrorCode::interrupted) {
    return interrupt(fmt::format("in repetition {} of {}: {} tasks submitted, {} completed",
                                 report_.repetitions, settings_.number(Setting::repeat),
                                 result.tasks, result.completions));
  }
  if (result.error.code != ErrorCode::ok) {
    report_.verdict = "fault";
    report_.detail = error_name(result.error.code);
    return;
  }
  workloads::CaseData* const data = program_.data();
  if (data == nullptr) return;
  progress_.step("verifying", report_.repetitions, settings_.number(Setting::repeat));
  const workloads::Verification verification = data->verify();
  const bool is_compared = verification.pass || verification.mismatches != 0;
  if (!is_compared) return fail(verification.detail);
  report_.max_abs_error = std::max(report_.max_abs_error.value_or(0), verification.max_abs_error);
  if (!verification.pass) {
    fail(fmt::format("{} elements are outside the tolerance; {}", verification.mismatches,
                     verification.detail));
  } else if (const std::string mismatch = graph_mismatch(result); !mismatch.empty()) {
    fail(mismatch);
  }
}

void Repetitions::judge_record(const Record& record) {
  report_.dropped += record.dropped;
  if (record.dropped != 0) return;
  report_.broken_rules = judging::problems_of(record);
  if (report_.broken_rules.empty() || !report_.verdict.empty()) return;
  report_.verdict = "fault";
  report_.detail = "broken_rule";
}

std::string Repetitions::graph_mismatch(const RunResult& result) const {
  if (!program_.graph_is_known()) return {};
  const workloads::CaseData& data = *program_.data();
  if (result.tasks != data.expected_tasks()) {
    return fmt::format("{} tasks, expected {}", result.tasks, data.expected_tasks());
  }
  const uint64_t edges = result.edges_linked + result.edges_early;
  const bool right = data.edges_are_exact() && !result.replayed ? edges == data.expected_edges()
                                                                : edges <= data.expected_edges();
  return right ? "" : fmt::format("{} edges, expected {}", edges, data.expected_edges());
}

void Repetitions::fail(const std::string& detail) {
  report_.verdict = "fail";
  report_.detail = detail;
  if (settings_.number(Setting::repeat) > 1) {
    report_.detail += fmt::format(" (repetition {})", report_.repetitions);
  }
}

}  // namespace pto2::cli
