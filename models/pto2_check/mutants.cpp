#include "models/pto2_check/mutants.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace pto2::scenarios {
namespace {

/// A line of the catalogue.
struct Row {
  Mutant mutant;
  bool quick;
};

Row row_of(const std::string& line) {
  std::istringstream words(line);
  Row row;
  std::string effort;
  words >> row.mutant.name >> effort >> row.mutant.kind >> std::ws;
  std::getline(words, row.mutant.witness);
  row.quick = effort == "quick";
  return row;
}

/// What the runs need around them. A crash is what many mutants are found by: it leaves no core
/// file. A failed test says what failed and ends.
void prepare(const std::filesystem::path& programs) {
  rlimit cores{};
  getrlimit(RLIMIT_CORE, &cores);
  cores.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &cores);
  setenv("GTEST_BRIEF", "1", 1);
  setenv("GTEST_COLOR", "no", 1);
  setenv("GTEST_FAIL_FAST", "1", 1);
  // A lost wake-up is reported sooner than in a test that is not expected to have one.
  setenv("PTO2_HANG_SECONDS", "10", 0);
  setenv("PTO2_WORKLOADS", (programs.parent_path() / "workloads").c_str(), 0);
}

/// The program with the arguments of the command line `witness`.
std::vector<std::string> command_of(const std::filesystem::path& program,
                                    const std::string& witness) {
  std::vector<std::string> command{program.string()};
  std::istringstream words(witness);
  std::string word;
  words >> word;
  while (words >> word) command.push_back(word);
  return command;
}

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

/// Googletest's progress, or decoration.
bool says_nothing(const std::string& line) {
  return line.find_first_not_of(" \t=") == std::string::npos || line[0] == '[' ||
         line.starts_with("Note: ") || line.starts_with("Running main()");
}

}  // namespace

std::string complaint(const std::string& text) {
  constexpr std::size_t longest = 160;
  constexpr std::string_view failure = ": Failure";
  std::istringstream lines(text);
  std::string line;
  while (says_nothing(line) && std::getline(lines, line)) {
  }
  std::string result = trimmed(line);
  if (result.ends_with(failure)) {
    // The place of a failed assertion; what is asserted follows.
    result.resize(result.size() - failure.size());
    result = std::filesystem::path(result).filename().string() + ":";
    while (std::getline(lines, line) && !says_nothing(line) && !line.ends_with(failure)) {
      result += " " + trimmed(line);
    }
  }
  if (result.size() > longest) result.replace(longest, std::string::npos, "..");
  return result;
}

Mutants::Mutants()
    : Mutants(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mutants") {}

std::vector<Mutant> Mutants::matching(const std::string& pattern, bool quick) const {
  std::ifstream catalogue(folder_ / "catalogue");
  if (!catalogue) throw std::runtime_error("there is no " + (folder_ / "catalogue").string());
  std::vector<Mutant> result;
  for (std::string line; std::getline(catalogue, line);) {
    const Row row = row_of(line);
    if (row.mutant.name.find(pattern) == std::string::npos || (quick && !row.quick)) continue;
    if (!std::filesystem::exists(folder_ / row.mutant.name)) {
      throw std::runtime_error(
          fmt::format("the mutant {} is not built; build the target mutants, "
                      "as ./dev pto2 check --mutants does",
                      row.mutant.name));
    }
    result.push_back(row.mutant);
  }
  return result;
}

MutantResult Mutants::run(const Mutant& mutant, const std::stop_token& stop) {
  prepare(folder_.parent_path());
  MutantResult result;
  result.mutant = mutant;
  if (mutant.kind == "checker") {
    explore(result, stop);
  } else {
    run_program(result, stop);
  }
  if (stop.stop_requested()) {
    result.outcome = Outcome::inconclusive;
    result.effect = "it was stopped";
  }
  return result;
}

void Mutants::explore(MutantResult& result, const std::stop_token& stop) const {
  const ChildResult run =
      run_child({(folder_ / result.mutant.name).string(), "check", "--deep", "--json", "-",
                 "--max-seconds", fmt::format("{}", max_seconds_)},
                Catch::output, 2 * max_seconds_, stop);
  result.seconds = run.seconds;
  const auto json = nlohmann::json::parse(run.text, nullptr, false);
  if (json.is_discarded()) {
    result.effect = "the program ended without a result";
    return;
  }
  const auto& harness = json.at("harnesses").at(0);
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
}

void Mutants::run_program(MutantResult& result, const std::stop_token& stop) {
  const std::string& witness = result.mutant.witness;
  const std::string reason = failure_without_bug(witness, stop);
  if (!reason.empty()) {
    result.effect = "the witness fails without the bug, too: " + reason;
    return;
  }
  const ChildResult run = run_child(command_of(folder_ / result.mutant.name, witness),
                                    Catch::output_and_errors, max_seconds_, stop);
  result.seconds = run.seconds;
  result.effect = failure_of(run);
  if (result.effect.empty()) {
    result.effect = "the witness passes";
  } else if (!run.timed_out) {
    result.outcome = Outcome::killed;
  }
}

/// Why the run of a witness is no pass; "" if it is one.
std::string Mutants::failure_of(const ChildResult& run) const {
  if (run.timed_out) return fmt::format("no result within {} s", max_seconds_);
  if (run.code == 0) return {};
  const std::string said = complaint(run.text);
  if (!said.empty()) return said;
  if (run.code > 128) return fmt::format("ended by {}", strsignal(run.code - 128));
  return fmt::format("exit code {}", run.code);
}

/// The same of a witness without any bug.
std::string Mutants::failure_without_bug(const std::string& witness, const std::stop_token& stop) {
  const auto known = controls_.find(witness);
  if (known != controls_.end()) return known->second;
  const auto program = folder_.parent_path() / witness.substr(0, witness.find(' '));
  if (!std::filesystem::exists(program)) {
    throw std::runtime_error(
        fmt::format("the witness {} is not built; build the target mutants, "
                    "as ./dev pto2 check --mutants does",
                    program.string()));
  }
  const ChildResult run =
      run_child(command_of(program, witness), Catch::output_and_errors, max_seconds_, stop);
  const std::string failure = failure_of(run);
  if (!stop.stop_requested()) controls_[witness] = failure;
  return failure;
}

}  // namespace pto2::scenarios
