#include "models/check/mutants.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "models/check/child_program.hpp"

namespace pto2::scenarios {
namespace {

std::filesystem::path folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mutants";
}

}  // namespace

std::vector<std::string> mutants(const std::string& pattern, bool quick) {
  std::ifstream catalogue(folder() / "catalogue");
  if (!catalogue) throw std::runtime_error("there is no " + (folder() / "catalogue").string());
  std::vector<std::string> names;
  for (std::string line; std::getline(catalogue, line);) {
    std::istringstream words(line);
    std::string name, third;
    words >> name >> third;
    if (name.find(pattern) == std::string::npos || (quick && third != "quick")) continue;
    if (!std::filesystem::exists(folder() / name)) {
      throw std::runtime_error(
          fmt::format("the mutant {} is not built; build the target mutants, "
                      "as ./dev pto2 check --mutants does",
                      name));
    }
    names.push_back(name);
  }
  return names;
}

MutantResult run_mutant(const std::string& name, const std::stop_token& stop) {
  MutantResult result;
  result.name = name;
  const std::string text = output_of({folder() / name, "check", "--deep", "--json", "-",
                                      "--max-seconds", fmt::format("{}", mutant_seconds)},
                                     stop);
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (stop.stop_requested()) {
    result.outcome = Outcome::inconclusive;
    result.effect = "it was stopped";
    return result;
  }
  if (json.is_discarded()) {
    result.effect = "the program ended without a result";
    return result;
  }
  const auto& harness = json.at("harnesses").at(0);
  harness.at("name").get_to(result.witness);
  harness.at("wall_s").get_to(result.seconds);
  if (harness.contains("report")) {
    const auto& violation = harness.at("report").at("violation");
    result.outcome = Outcome::killed;
    result.effect = fmt::format("{}: {}", violation.at("kind").get<std::string>(),
                                violation.at("message").get<std::string>());
    harness.at("replay").get_to(result.token);
  } else {
    result.effect = harness.value("reason", "the scenario holds");
  }
  return result;
}

}  // namespace pto2::scenarios
