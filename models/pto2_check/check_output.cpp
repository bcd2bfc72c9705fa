#include "models/pto2_check/check_output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/pto2_check/named_token.hpp"
#include "runtime/output/json_text.hpp"

namespace pto2::scenarios {

using Json = nlohmann::ordered_json;
using cli::ExitCode;
using model::Report;
using model::Verdict;

namespace {

/// What a report of a failure says below its line.
std::string story(const Report& report) {
  if (!report.violation) return {};
  const std::string token = named_token(report.name, report.violation->token);
  return report.to_text() + (token.empty() ? "" : "replay with: pto2 replay '" + token + "'\n");
}

std::string why(const Report& report) {
  if (!report.violation) return report.reason;
  return std::string(to_string(report.violation->kind)) + ": " + report.violation->message;
}

Json json_of(const Report& report) {
  Json json = {{"name", report.name},
               {"verdict", to_string(report.verdict)},
               {"executions", report.executions},
               {"blocked", report.blocked},
               {"complete", report.complete},
               {"wall_s", report.seconds}};
  if (!report.reason.empty()) json["reason"] = report.reason;
  if (report.violation) {
    json["report"] = Json::parse(report.to_json());
    const std::string token = named_token(report.name, report.violation->token);
    if (!token.empty()) json["replay"] = token;
  }
  return json;
}

}  // namespace

CheckOutput::CheckOutput(const std::string& json, const std::string& junit)
    : files_(json, junit),
      harnesses_(std::make_unique<Json>(Json::array())),
      orders_(std::make_unique<Json>(Json::array())),
      mutants_(std::make_unique<Json>(Json::array())) {}

CheckOutput::~CheckOutput() = default;

void CheckOutput::add(const Report& report) {
  files_.print(fmt::format("{:<13}{:<50}{:>12} executions{:>9.2f} s  {}\n",
                           to_string(report.verdict), report.name, grouped(report.executions),
                           report.seconds, why(report)));
  files_.print(story(report));
  harnesses_->push_back(json_of(report));
  const bool failed = report.verdict == Verdict::fail;
  cases_.push_back({report.name, report.seconds, failed ? why(report) : "",
                    report.verdict == Verdict::inconclusive});
}

void CheckOutput::add(const WeakeningResult& result) {
  files_.print(fmt::format("{:<13}{:<28}{:<8} to {:<9}{:>7.2f} s  {:<32} {}\n",
                           to_string(result.status), result.site, result.from, result.to,
                           result.seconds, result.place,
                           result.witness.empty() ? result.effect : result.witness));
  orders_->push_back({{"name", result.site},
                      {"use", result.place},
                      {"from", result.from},
                      {"to", result.to},
                      {"outcome", to_string(result.status)},
                      {"witness", result.witness},
                      {"effect", result.effect},
                      {"replay", result.token},
                      {"wall_s", result.seconds}});
  const bool survived = result.status == MutantStatus::survived;
  cases_.push_back({result.site + " " + result.place + "=" + result.to, result.seconds,
                    survived ? why_it_survived(result) : "",
                    result.status == MutantStatus::inconclusive});
}

void CheckOutput::add(const MutantResult& result) {
  const Mutant& mutant = result.mutant;
  files_.print(fmt::format("{:<13}{:<30}{:>7.2f} s  {:<10}{}: {}\n", to_string(result.status),
                           mutant.name, result.seconds, mutant.kind, mutant.witness,
                           result.effect));
  mutants_->push_back({{"name", mutant.name},
                       {"outcome", to_string(result.status)},
                       {"witness", mutant.witness},
                       {"kind", mutant.kind},
                       {"seconds", result.seconds},
                       {"effect", result.effect},
                       {"repeat", result.repeat}});
  const bool survived = result.status == MutantStatus::survived;
  cases_.push_back({mutant.name, result.seconds, survived ? result.effect : "",
                    result.status == MutantStatus::inconclusive});
}

std::string CheckOutput::json_text(bool interrupted) const {
  Json json = {{"schema", "pto2-check/1"}, {"interrupted", interrupted}};
  if (!harnesses_->empty()) json["harnesses"] = *harnesses_;
  if (!orders_->empty()) json["orders"] = *orders_;
  if (!mutants_->empty()) json["mutants"] = *mutants_;
  return cli::text_of_json(json);
}

ExitCode CheckOutput::finish(std::optional<ExitCode> interrupted) {
  const bool is_interrupted = interrupted.has_value();
  const auto failures = std::ranges::count_if(
      cases_, [](const cli::JunitCase& test) { return !test.failure.empty(); });
  const auto skipped = std::ranges::count_if(cases_, &cli::JunitCase::skipped);
  double seconds = 0;
  for (const cli::JunitCase& test : cases_) seconds += test.seconds;
  if (interrupted) files_.print("interrupted: what is not listed was not tried\n");
  files_.print(fmt::format("{} hold, {} do not, {} inconclusive, {:.1f} s\n",
                           std::ssize(cases_) - failures - skipped, failures, skipped, seconds));
  files_.finish([&] { return json_text(is_interrupted); }, "pto2 check", cases_, is_interrupted);
  if (failures != 0) return cli::exit_fail;
  if (interrupted) return *interrupted;
  return cases_.empty() || skipped != 0 ? cli::exit_inconclusive : cli::exit_pass;
}

}  // namespace pto2::scenarios
