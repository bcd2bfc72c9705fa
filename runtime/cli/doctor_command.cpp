#include "runtime/cli/doctor_command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/cli/doctor_checks.hpp"
#include "runtime/cli/output_file.hpp"

namespace pto2::cli {

DoctorCommand::DoctorCommand(CLI::App& app)
    : command_(app.add_subcommand("doctor", "check what this machine offers")) {
  command_->add_flag("--json", json_, "as JSON");
  command_->footer(
      "Exit codes: 0 nothing fails, 1 a check fails.\n\n"
      "Examples:\n  pto2 doctor\n  pto2 doctor --json");
}

ExitCode DoctorCommand::execute() const {
  const std::vector<Check> checks = run_doctor_checks();
  const auto failed = [](const Check& check) { return check.status == CheckStatus::fail; };
  const bool healthy = std::none_of(checks.begin(), checks.end(), failed);
  OutputFile out("-");
  if (json_) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Check& check : checks) {
      list.push_back(
          {{"name", check.name}, {"status", status_name(check.status)}, {"detail", check.detail}});
    }
    const nlohmann::ordered_json json = {
        {"schema", "pto2-doctor/1"}, {"verdict", healthy ? "pass" : "fail"}, {"checks", list}};
    using Handler = nlohmann::ordered_json::error_handler_t;
    out.write(json.dump(2, ' ', false, Handler::replace) + "\n");
  } else {
    for (const Check& check : checks) {
      out.write(
          fmt::format("{:<5} {:<30} {}\n", status_name(check.status), check.name, check.detail));
    }
  }
  out.finish();
  return healthy ? exit_pass : exit_fail;
}

}  // namespace pto2::cli
