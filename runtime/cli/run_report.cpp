#include "runtime/cli/run_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/task_state.hpp"
#include "runtime/cli/chip_json.hpp"
#include "runtime/cli/executor_settings.hpp"
#include "runtime/cli/median.hpp"
#include "runtime/output/json_text.hpp"
#include "runtime/output/peak_memory.hpp"

namespace pto2::cli {
namespace {

using Json = nlohmann::ordered_json;

double ns_per_task(const RunReport& report) {
  return report.result.tasks == 0 ? 0
                                  : report.wall_s * 1e9 / static_cast<double>(report.result.tasks);
}

/// The time inside kernels; a simulation has none.
std::optional<double> kernel_seconds(const RunReport& report) {
  if (simulation(report.team) != nullptr) return std::nullopt;
  return static_cast<double>(report.result.kernel_ticks) * 1e-9;
}

/// A duration with a unit that suits it.
std::string duration_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

/// Whose wall time it is, behind that.
std::string of_repetitions(const RunReport& report) {
  if (report.repetitions < 2) return "";
  const bool is_median = report.verdict == "pass" || report.verdict == "inconclusive";
  return fmt::format(", {} of {}", is_median ? "median" : "the last", report.repetitions);
}

/// The options that were given, under their names with underscores.
void add_options(Json& json, const workloads::CaseOptions& options) {
  for (const workloads::OptionSpec* option : workloads::all_options()) {
    const auto given = options.values.find(option->name);
    if (given == options.values.end()) continue;
    std::string key = option->name;
    std::replace(key.begin(), key.end(), '-', '_');
    std::visit([&](const auto& value) { json[key] = value; }, given->second);
  }
}

Json config_json(const RunReport& report) {
  const DeviceConfig& c = report.config;
  const Settings& settings = *report.settings;
  Json config = {{"window", c.window},
                 {"heap", c.heap_bytes},
                 {"dep_pool", c.dep_pool},
                 {"tensormap_pool", c.tensormap_pool},
                 {"shards", c.shards},
                 {"rings", c.rings},
                 {"schedulers", c.chip.schedulers},
                 {"blocks", c.chip.clusters},
                 {"accelerators", c.chip.accelerators},
                 {"fan_out", fan_out_name(c.fan_out)},
                 {"guard", guard_name(c.guard)},
                 {"platform", settings.text(Setting::platform)},
                 {"chip", chip_json(c.chip)},
                 {"input_seed", settings.number(Setting::input_seed)},
                 {"deadline", settings.number(Setting::deadline)}};
  if (const auto* seeded = simulation(report.team)) config["seed"] = seeded->seed;
  const auto* const team = std::get_if<executors::TeamOptions>(&report.team);
  if (team != nullptr && team->executor == executors::Executor::packed) {
    config["host_threads"] = team->host_threads;
  }
  add_options(config, settings.case_options());
  return config;
}

template <class T>
Json nullable(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json named(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

void add_counts(Json& json, const RunResult& r) {
  json["peak_window"] = r.peak_window;
  json["slots_recycled"] = r.slots_recycled;
  json["peak_rss_bytes"] = peak_memory();
  json["dispatches"] = r.dispatches;
  json["loans"] = r.loans;
  json["acks"] = r.acks;
  json["fins"] = r.fins;
  json["steals"] = r.steals;
  json["cas_retries"] = r.cas_retries;
  json["waits"] = r.waits;
  json["edges_linked"] = r.edges_linked;
  json["edges_early"] = r.edges_early;
}

/// A zero would be taken for a count.
void forget_counts(Json& json) {
  for (auto& [field, value] : json.items()) {
    if (value.is_number()) value = nullptr;
  }
}

}  // namespace

std::vector<std::string> RunReport::warnings() const {
  std::vector<std::string> texts;
  if (dropped != 0) {
    texts.push_back(fmt::format(
        "{} events found their buffer full, so that not all was judged; use --trace-events",
        dropped));
  }
  if (repetitions == 0 || result.error.code != ErrorCode::ok) return texts;
  if (result.tasks == 0) texts.emplace_back("the orchestration submitted no task");
  if (result.open_scopes != 0) {
    texts.push_back(fmt::format(
        "scopes that the orchestration left open: {}; they ended with it, use PTO2_SCOPE",
        result.open_scopes));
  }
  return texts;
}

namespace {

RunReport report_of(const Settings& settings, const char* verdict) {
  RunReport report;
  report.settings = &settings;
  report.config = settings.device_config();
  report.team = team_of(executor_of(settings));
  report.expected = settings.text(Setting::expect);
  report.verdict = verdict;
  return report;
}

}  // namespace

RunReport fault_report(const Settings& settings, const RunError& error) {
  RunReport report = report_of(settings, "fault");
  report.detail = error_name(error.code);
  report.result.error = error;
  return report;
}

RunReport error_report(const Settings& settings, const CliError& error) {
  RunReport report = report_of(settings, "error");
  report.detail = error.what();
  report.error = error.code();
  report.is_lost = true;
  return report;
}

void GraphReport::add(const RunResult& result) {
  const GraphUse& use = result.graph;
  recorded += use.kind == GraphUse::Kind::recorded ? 1 : 0;
  replayed += use.kind == GraphUse::Kind::replayed ? 1 : 0;
  left += use.kind == GraphUse::Kind::left ? 1 : 0;
  refused += use.kind == GraphUse::Kind::refused ? 1 : 0;
  if (!use.reason.empty()) reason = use.reason;
  if (use.kind == GraphUse::Kind::replayed) replayed_ns.push_back(result.wall_ns);
}

namespace {

std::optional<double> replayed_seconds(const GraphReport& graph) {
  if (graph.replayed_ns.empty()) return std::nullopt;
  const auto [lower, upper] = median_places(graph.replayed_ns);
  return (static_cast<double>(graph.replayed_ns[lower]) +
          static_cast<double>(graph.replayed_ns[upper])) /
         2e9;
}

std::string graph_text(const GraphReport& graph) {
  std::string text = fmt::format("{} recorded, {} replayed", graph.recorded, graph.replayed);
  if (const auto seconds = replayed_seconds(graph)) {
    text += fmt::format(" (median {})", duration_text(*seconds));
  }
  if (graph.left != 0) text += fmt::format(", {} left", graph.left);
  if (graph.refused != 0) text += fmt::format(", {} refused", graph.refused);
  return text + (graph.reason.empty() ? "" : ": " + graph.reason);
}

Json json_of(const GraphReport& graph) {
  Json json = {{"recorded", graph.recorded},
               {"replayed", graph.replayed},
               {"left", graph.left},
               {"refused", graph.refused},
               {"replayed_wall_s", nullable(replayed_seconds(graph))}};
  if (!graph.reason.empty()) json["reason"] = graph.reason;
  return json;
}

}  // namespace

std::string to_text(const RunReport& report) {
  const RunResult& r = report.result;
  const Settings& settings = *report.settings;
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<15} {}\n", name, value);
  };
  line("workload", settings.workload() ? settings.text(Setting::workload) : "(own images)");
  if (settings.workload()) line("case", settings.text(Setting::case_name));
  line("chip", report.config.chip.name + ", " + shape_text(report.config.chip));
  const executors::SeededOptions* const seeded = simulation(report.team);
  line("executor", settings.text(Setting::executor) +
                       (seeded != nullptr ? fmt::format(", seed {}", seeded->seed) : ""));
  line("verdict", report.verdict + (report.detail.empty() ? "" : ": " + report.detail));
  if (!report.expected.empty()) {
    line("expected", report.expected + (report.is_as_expected() ? "" : ", which it is not"));
  }
  for (const std::string& warning : report.warnings()) line("warning", warning);
  if (report.max_abs_error) {
    line("max abs error", fmt::format("{:.3g} (tolerance {:g} + {:g} |reference|)",
                                      *report.max_abs_error, *report.tolerance, *report.tolerance));
  }
  if (report.is_lost) return text;
  line("tasks", fmt::format("{}, {} edges", r.tasks, r.edges_linked + r.edges_early));
  line("wall time", duration_text(report.wall_s) + of_repetitions(report));
  if (report.graph) line("graph", graph_text(*report.graph));
  if (const auto seconds = kernel_seconds(report)) {
    line("kernel time", duration_text(*seconds) + " over all cores");
  }
  line("per task", fmt::format("{:.0f} ns", ns_per_task(report)));
  line("host threads", std::to_string(r.host_threads));
  line("peak window", fmt::format("{} of {} slots", r.peak_window, report.config.window));
  line("slots recycled", std::to_string(r.slots_recycled));
  return text;
}

namespace {

Json json_of(const RunReport& report) {
  const RunResult& r = report.result;
  const Settings& settings = *report.settings;
  Json json = {{"schema", "pto2-run/1"},
               {"workload", named(settings.text(Setting::workload))},
               {"case", settings.workload() ? named(settings.text(Setting::case_name)) : Json()},
               {"runtime", settings.text(Setting::runtime)},
               {"executor", settings.text(Setting::executor)},
               {"tasks", r.tasks},
               {"verdict", report.verdict},
               {"outcome", report.outcome()},
               {"expected", named(report.expected)},
               {"max_abs_error", nullable(report.max_abs_error)},
               {"tolerance", nullable(report.tolerance)},
               {"repeat", report.repetitions},
               {"wall_s", report.wall_s},
               {"kernel_s", nullable(kernel_seconds(report))},
               {"host_threads", r.host_threads},
               {"ns_per_task", ns_per_task(report)}};
  add_counts(json, r);
  if (report.is_lost) forget_counts(json);
  if (report.graph) json["graph"] = json_of(*report.graph);
  if (!report.detail.empty()) json["detail"] = report.detail;
  if (r.error.code != ErrorCode::ok) {
    json["error"] = {
        {"code", error_name(r.error.code)}, {"message", r.error.message}, {"hint", r.error.hint}};
    for (uint32_t phase = 0; phase < r.phases.size() && !report.is_lost; ++phase) {
      json["tasks_by_state"][phase_name(static_cast<Phase>(phase))] = r.phases[phase];
    }
  }
  if (const auto warnings = report.warnings(); !warnings.empty()) json["warnings"] = warnings;
  if (!report.broken_rules.empty()) json["broken_rules"] = report.broken_rules;
  json["config"] = config_json(report);
  return json;
}

}  // namespace

std::string to_json(const RunReport& report) {
  return text_of_json(json_of(report));
}

std::string to_line(const RunReport& report) {
  const bool right = report.is_as_expected() || report.is_interrupted();
  const char* const sign = report.is_interrupted() ? "-" : right ? "ok" : "wrong";
  return fmt::format("{:<6}{:<18} {:<10} {}{}\n", sign, report.settings->text(Setting::case_name),
                     report.is_lost ? "-" : duration_text(report.wall_s), report.outcome(),
                     right ? "" : ", expected " + report.expected);
}

std::string to_json(std::span<const RunReport> reports) {
  Json cases = Json::array();
  for (const RunReport& report : reports) cases.push_back(json_of(report));
  const bool right = std::all_of(reports.begin(), reports.end(), [](const RunReport& report) {
    return report.is_as_expected() || report.is_interrupted();
  });
  const bool complete = std::none_of(reports.begin(), reports.end(),
                                     [](const RunReport& report) { return report.is_error(); });
  const char* const good = reports.back().is_interrupted() ? "interrupted" : "pass";
  const char* const bad = complete ? "fail" : "error";
  return text_of_json({{"schema", "pto2-run-all/1"},
                       {"workload", reports.front().settings->text(Setting::workload)},
                       {"verdict", right ? good : bad},
                       {"cases", cases}});
}

}  // namespace pto2::cli
