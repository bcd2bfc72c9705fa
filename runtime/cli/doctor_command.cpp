#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/doctor_checks.hpp"
#include "runtime/cli/information_command.hpp"
#include "runtime/output/json_text.hpp"
#include "runtime/output/result_files.hpp"

namespace pto2::cli {
namespace {

/// exit_pass unless a check fails; a warning does not count.
ExitCode show_doctor(bool json) {
  const std::vector<Check> checks = run_doctor_checks();
  const auto failed = [](const Check& check) { return check.status == CheckStatus::fail; };
  const bool healthy = std::none_of(checks.begin(), checks.end(), failed);
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    text += fmt::format("{:<5} {:<30} {}\n", status_name(check.status), check.name, check.detail);
    list.push_back(
        {{"name", check.name}, {"status", status_name(check.status)}, {"detail", check.detail}});
  }
  ResultFiles results(ResultNames{.json = json ? "-" : ""});
  results.print(text);
  results.finish([&] {
    return text_of_json(
        {{"schema", "pto2-doctor/1"}, {"verdict", healthy ? "pass" : "fail"}, {"checks", list}});
  });
  return healthy ? exit_pass : exit_fail;
}

}  // namespace

std::unique_ptr<Command> make_doctor_command(CLI::App& subcommand) {
  return std::make_unique<InformationCommand>(
      subcommand, "Exit codes: 0 nothing fails, 1 a check fails.", show_doctor);
}

}  // namespace pto2::cli
