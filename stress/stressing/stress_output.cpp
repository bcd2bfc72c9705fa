#include "stress/stressing/stress_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/output/json_text.hpp"
#include "runtime/output/stderr_text.hpp"

namespace pto2::stress {
namespace {

using Json = nlohmann::ordered_json;

double rate_of(const UnitResult& result) {
  return result.seconds > 0 ? static_cast<double>(result.tasks) / result.seconds : 0;
}

/// It did not show what so many runs should show.
bool is_one_sided(const UnitResult& result) {
  return !result.report.never_seen.empty();
}

bool is_wrong(const UnitResult& result) {
  return !result.failures.empty();
}

const char* verdict_of(const UnitResult& result) {
  if (is_wrong(result)) return "fail";
  return is_one_sided(result) || result.interrupted || result.runs == 0 ? "inconclusive" : "pass";
}

/// Its share of the time was over before.
bool lacks_a_run(const UnitResult& result) {
  return result.runs == 0 && !is_wrong(result) && !result.interrupted;
}

/// One line for who sees stderr alone; empty if each unit has had a run. `units` share the seconds.
std::string text_of_lack(const std::vector<UnitResult>& results, std::size_t units,
                         const StressOptions& options) {
  constexpr std::size_t named = 3;
  std::string names;
  std::size_t lacking = 0;
  for (const UnitResult& result : results) {
    if (!lacks_a_run(result) || ++lacking > named) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", result.name);
  }
  if (lacking == 0) return {};
  if (lacking > named) names += fmt::format(" and {} more", lacking - named);
  const double share = std::max(StressOptions::least_seconds, 2 * options.budget.seconds);
  return fmt::format(
      "pto2: inconclusive: no run of {} came to its end in its share of the time; "
      "give --seconds at least {:.0f}\n",
      names, std::ceil(share * static_cast<double>(units)));
}

std::string seeds_of(const UnitResult& result) {
  return result.has_seeds ? fmt::format("{}..{}", result.seeds.first, result.seeds.last) : "";
}

std::string text_of_cut_off(const Failure& failure) {
  if (failure.runs_cut_off == 0) return {};
  return fmt::format(", and not in {} runs more", failure.runs_cut_off);
}

std::string text_of(const Failure& failure) {
  std::string text = fmt::format("wrong: {}\nrepeat: {}\n", failure.text, failure.command);
  if (failure.tries != 0 || failure.runs_cut_off != 0) {
    text += fmt::format("seen {} times in {} tries with this command{}\n", failure.seen,
                        failure.tries, text_of_cut_off(failure));
  }
  if (!failure.token.empty()) {
    text += fmt::format("the same in a simulation:\n{}repeat: pto2 replay {}\n", failure.story,
                        failure.token);
  }
  return text;
}

std::string text_of(const UnitResult& result) {
  std::string text =
      fmt::format("{:<13}{:<48}{:>9} runs{:>12} tasks{:>10.0f}/s{:>8.1f} s", verdict_of(result),
                  result.name, result.runs, result.tasks, rate_of(result), result.seconds);
  if (result.has_seeds) text += fmt::format("  seeds {}", seeds_of(result));
  text += "\n";
  for (const Failure& failure : result.failures) text += text_of(failure);
  if (lacks_a_run(result)) {
    text += "no run came to its end in its share of the time: give it more --seconds\n";
  }
  for (const std::string& missing : result.report.never_seen) {
    text += fmt::format("never seen, which so many runs should show: {}\n", missing);
  }
  return text;
}

Json json_of(const Failure& failure) {
  Json json{{"problem", failure.text},
            {"command", failure.command},
            {"seen", failure.seen},
            {"tries", failure.tries},
            {"runs_cut_off", failure.runs_cut_off}};
  if (!failure.token.empty()) {
    json["token"] = failure.token;
    json["story"] = failure.story;
  }
  return json;
}

Json json_of(const UnitResult& result) {
  Json json{{"name", result.name},      {"verdict", verdict_of(result)},
            {"runs", result.runs},      {"tasks", result.tasks},
            {"wall_s", result.seconds}, {"tasks_per_s", rate_of(result)}};
  if (result.has_seeds) {
    json["first_seed"] = result.seeds.first;
    json["last_seed"] = result.seeds.last;
  }
  if (result.fan_out) json["fan_out"] = fan_out_name(*result.fan_out);
  json["outcomes"] = result.has_report ? Json(result.report.outcomes) : Json();
  json["never_seen"] = result.report.never_seen;
  json["failures"] = Json::array();
  for (const Failure& failure : result.failures) json["failures"].push_back(json_of(failure));
  return json;
}

Json json_of_wanted(const cli::NumberRange& seeds) {
  Json json{{"first", seeds.first}};
  if (seeds.last != StressOptions::without_end) json["last"] = seeds.last;
  return json;
}

cli::JunitCase case_of(const UnitResult& result) {
  std::string failure;
  for (const Failure& each : result.failures) failure += text_of(each);
  return {result.name, result.seconds, failure, verdict_of(result) == std::string("inconclusive")};
}

}  // namespace

void StressOutput::add(UnitResult result) {
  files_.print(text_of(result));
  results_.push_back(std::move(result));
}

bool StressOutput::has_failed() const {
  return std::ranges::any_of(results_, is_wrong);
}

cli::ExitCode StressOutput::exit_code(std::optional<cli::ExitCode> interrupted) const {
  bool is_inconclusive = results_.empty();
  for (const UnitResult& result : results_) {
    is_inconclusive |= verdict_of(result) == std::string("inconclusive");
  }
  if (has_failed()) return cli::exit_fail;
  if (interrupted) return *interrupted;
  return is_inconclusive ? cli::exit_inconclusive : cli::exit_pass;
}

std::string StressOutput::json_text(std::size_t units, const StressOptions& options,
                                    cli::ExitCode code, bool interrupted) const {
  Json json{{"schema", "pto2-stress/1"},
            {"verdict", code == cli::exit_pass   ? "pass"
                        : code == cli::exit_fail ? "fail"
                        : interrupted            ? "interrupted"
                                                 : "inconclusive"},
            {"noise", noise_text(options.noise)},
            {"interrupted", interrupted},
            {"units_wanted", units},
            {"seeds_wanted", json_of_wanted(options.seeds)},
            {"units", Json::array()}};
  for (const UnitResult& result : results_) json["units"].push_back(json_of(result));
  return cli::text_of_json(json);
}

cli::ExitCode StressOutput::finish(std::size_t units, const StressOptions& options,
                                   std::optional<cli::ExitCode> interrupted) {
  const cli::ExitCode code = exit_code(interrupted);
  uint64_t runs = 0;
  uint64_t tasks = 0;
  double seconds = 0;
  std::size_t failed = 0;
  std::size_t inconclusive = 0;
  std::vector<cli::JunitCase> cases;
  for (const UnitResult& result : results_) {
    runs += result.runs;
    tasks += result.tasks;
    seconds += result.seconds;
    if (is_wrong(result)) ++failed;
    if (verdict_of(result) == std::string("inconclusive")) ++inconclusive;
    cases.push_back(case_of(result));
  }
  if (interrupted) files_.print("interrupted: what is not listed was not tried\n");
  files_.print(
      fmt::format("{} of {} units, {} wrong, {} inconclusive: {} runs, {} tasks, {:.1f} s, "
                  "noise {}\n",
                  results_.size(), units, failed, inconclusive, runs, tasks, seconds,
                  noise_text(options.noise)));
  cli::print_to_stderr("{}", text_of_lack(results_, units, options));
  files_.finish([&] { return json_text(units, options, code, interrupted.has_value()); },
                "pto2 stress", cases, interrupted.has_value());
  return code;
}

}  // namespace pto2::stress
