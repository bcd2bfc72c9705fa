#include "models/pto2_check/mutants.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <latch>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "runtime/output/exit_codes.hpp"

namespace pto2::scenarios {
namespace {

/// A line of the catalogue.
struct Row {
  Mutant mutant;
  bool quick;
};

/// Nothing if the line is none, or is cut short.
std::optional<Row> row_of(const std::string& line) {
  std::istringstream words(line);
  Row row;
  std::string effort;
  words >> row.mutant.name >> row.mutant.number >> effort >> row.mutant.kind >> std::ws;
  if (!std::getline(words, row.mutant.witness)) return std::nullopt;
  row.quick = effort == "quick";
  if (!row.quick && effort != "long") return std::nullopt;
  return row;
}

/// Throws std::runtime_error if one is missing, or a line is none.
std::vector<Row> rows_of(const std::filesystem::path& catalogue) {
  std::ifstream file(catalogue);
  if (!file) {
    throw std::runtime_error(fmt::format(
        "there is no {}; build the target mutants, as ./dev mutants does", catalogue.string()));
  }
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    const std::optional<Row> row = row_of(line);
    if (!row || file.eof()) {  // the last one ends as the others do
      throw std::runtime_error(
          fmt::format("{}, line {}: not `NAME NUMBER quick|long KIND WITNESS`; build the target "
                      "mutants, as ./dev mutants does",
                      catalogue.string(), rows.size() + 1));
    }
    rows.push_back(*row);
  }
  return rows;
}

/// What the runs need around them. A crash is what many mutants are found by: it leaves no core
/// file. A failed test says what failed and ends.
void prepare() {
  rlimit cores{};
  getrlimit(RLIMIT_CORE, &cores);
  cores.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &cores);
  // Or the system keeps nothing of how they end, if who started this program ignores it.
  std::signal(SIGCHLD, SIG_DFL);
  // The witnesses run without a bug, too.
  unsetenv("PTO2_MUTANT");
  setenv("GTEST_BRIEF", "1", 1);
  setenv("GTEST_COLOR", "no", 1);
  setenv("GTEST_FAIL_FAST", "1", 1);
  // A lost wake-up is reported sooner than in a test that is not expected to have one.
  setenv("PTO2_HANG_SECONDS", "10", 0);
}

std::string choice_of(const Mutant& mutant) {
  return fmt::format("PTO2_MUTANT={}", mutant.number);
}

/// `command` with the mutant chosen.
std::vector<std::string> with_mutant(const Mutant& mutant, std::vector<std::string> command) {
  command.insert(command.begin(), {"/usr/bin/env", choice_of(mutant)});
  return command;
}

/// What `pto2 check` says of its only scenario; discarded if it ended without a word of it.
nlohmann::json found_by(const ChildResult& search) {
  const auto json = nlohmann::json::parse(search.text, nullptr, false);
  const bool has_begun = !json.is_discarded() && json.contains("harnesses");
  return has_begun ? json.at("harnesses").at(0)
                   : nlohmann::json(nlohmann::json::value_t::discarded);
}

bool has_verdict(const nlohmann::json& found, const char* verdict) {
  return !found.is_discarded() && found.at("verdict") == verdict;
}

uint64_t executions_of(const nlohmann::json& found) {
  return found.at("executions").get<uint64_t>() + found.at("blocked").get<uint64_t>();
}

/// The violation, or why there is none.
std::string effect_of(const nlohmann::json& found) {
  if (found.is_discarded()) return "the program ended without a result";
  if (!found.contains("report")) return found.value("reason", "the scenario holds");
  const auto& violation = found.at("report").at("violation");
  return fmt::format("{}: {}", violation.at("kind").get<std::string>(),
                     violation.at("message").get<std::string>());
}

constexpr const char* fails_anyway = "the witness fails without the bug, too: ";

std::string program_of(const Mutant& mutant) {
  if (mutant.kind == "checker") return "pto2-check";
  return mutant.witness.substr(0, mutant.witness.find(' '));
}

/// Why a run is no pass; "" if it is one.
std::string failure_of(const ChildResult& run, double limit) {
  if (run.timed_out) {
    return fmt::format("no result within {} s", std::round(1000 * limit) / 1000);
  }
  if (run.code == 0) return {};
  const std::string said = complaint(run.text);
  if (!said.empty()) return said;
  if (run.code > 128) return fmt::format("ended by {}", strsignal(run.code - 128));
  return fmt::format("exit code {}", run.code);
}

/// Whether its end says nothing about the bug: it could not be executed, or was killed, as the
/// system does when memory or time end, or was stopped; or it is of pto2, and says that it lacked
/// something or has not seen enough. A search without a result is told by its report.
bool tells_nothing(const Mutant& mutant, const ChildResult& run) {
  constexpr int not_executed[] = {126, 127};
  constexpr int killed[] = {128 + SIGKILL, 128 + SIGTERM, 128 + SIGXCPU};
  if (run.timed_out) return false;
  if (std::ranges::count(not_executed, run.code) + std::ranges::count(killed, run.code) != 0) {
    return true;
  }
  const bool is_search = mutant.kind == "checker";
  return program_of(mutant).starts_with("pto2-") &&
         (run.code == cli::exit_bad_input || (run.code == cli::exit_inconclusive && !is_search));
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

Mutants::Mutants() : Mutants(std::filesystem::read_symlink("/proc/self/exe").parent_path()) {
  if (!std::filesystem::exists(folder_ / "catalogue")) {
    folder_ = folder_.parent_path() / "mutants/build/bin";
  }
}

std::vector<Mutant> Mutants::matching(const std::string& pattern, bool quick) const {
  std::vector<Mutant> result;
  for (const Row& row : rows_of(folder_ / "catalogue")) {
    if (row.mutant.name.find(pattern) == std::string::npos || (quick && !row.quick)) continue;
    if (!std::filesystem::exists(folder_ / program_of(row.mutant))) {
      throw std::runtime_error(
          fmt::format("the witness {} of the mutant {} is not built; build the target mutants, as "
                      "./dev mutants does",
                      program_of(row.mutant), row.mutant.name));
    }
    result.push_back(row.mutant);
  }
  return result;
}

MutantResult Mutants::run(const Mutant& mutant, const std::stop_token& stop) {
  MutantResult result;
  result.mutant = mutant;
  if (mutant.kind == "checker") {
    explore(result, stop);
  } else {
    run_program(result, stop);
  }
  if (stop.stop_requested()) {
    result.status = MutantStatus::inconclusive;
    result.effect = "it was stopped";
  }
  return result;
}

void Mutants::run_all(const std::vector<Mutant>& chosen, unsigned jobs, const std::stop_token& stop,
                      const std::function<void(const MutantResult&)>& add) {
  prepare();
  std::vector<Mutant> together = chosen;
  const auto alone = std::stable_partition(together.begin(), together.end(),
                                           [](const Mutant& m) { return m.kind != "executor"; });
  std::atomic<std::size_t> next = 0;
  std::mutex adding;
  std::exception_ptr failure;
  std::latch complete(1);
  const auto work = [&](std::size_t end) {
    complete.wait();
    try {
      for (std::size_t i = next++; i < end && !stop.stop_requested(); i = next++) {
        const MutantResult result = run(together[i], stop);
        const std::scoped_lock one(adding);
        add(result);
      }
    } catch (...) {
      const std::scoped_lock one(adding);
      failure = std::current_exception();
      next = together.size();
    }
  };
  const auto shared = static_cast<std::size_t>(alone - together.begin());
  {
    std::vector<std::jthread> others;
    try {
      for (unsigned i = 1; i < jobs; ++i) others.emplace_back(work, shared);
    } catch (...) {
      // Those that there are begin nothing.
      failure = std::current_exception();
      next = together.size();
    }
    complete.count_down();
    work(shared);
  }
  next = std::max(shared, failure ? together.size() : shared);
  work(together.size());
  if (failure) std::rethrow_exception(failure);
}

void Mutants::explore(MutantResult& result, const std::stop_token& stop) {
  const ChildResult run =
      run_child(with_mutant(result.mutant, search_of(result.mutant.witness, max_seconds_)),
                Catch::output, 2 * max_seconds_, stop);
  const nlohmann::json found = found_by(run);
  result.seconds = found.is_discarded() ? run.seconds : found.at("wall_s").get<double>();
  result.effect = effect_of(found);
  if (!found.contains("report")) {
    if (tells_nothing(result.mutant, run)) result.status = MutantStatus::inconclusive;
    return;
  }
  // A case that is met in no execution has none to replay.
  const std::string again = found.contains("replay")
                                ? fmt::format("replay '{}'", found.at("replay").get<std::string>())
                                : fmt::format("check {} --deep", result.mutant.witness);
  result.repeat =
      fmt::format("{} {} {}", choice_of(result.mutant), (folder_ / "pto2-check").string(), again);
  judge_violation(result, executions_of(found), stop);
}

/// One with which so many executions were explored.
void Mutants::judge_violation(MutantResult& result, uint64_t executions,
                              const std::stop_token& stop) {
  std::unique_lock lock(lock_);
  Exploration& known = explorations_[result.mutant.witness];
  lock.unlock();
  const std::scoped_lock exploring(known.lock);
  if (known.failure.empty() && known.executions <= executions) {
    explore_without_bug(known, result.mutant,
                        std::max(part_without_bug * max_seconds_, 4 * result.seconds), stop);
  }
  if (!known.failure.empty()) {
    result.effect = fails_anyway + known.failure;
  } else if (known.executions <= executions) {
    result.status = MutantStatus::inconclusive;
    result.effect = fmt::format("after {} executions, of which {} hold without the bug: {}",
                                executions, known.executions, result.effect);
  } else {
    result.status = MutantStatus::killed;
  }
}

void Mutants::explore_without_bug(Exploration& known, const Mutant& mutant, double max_seconds,
                                  const std::stop_token& stop) const {
  const ChildResult run =
      run_child(search_of(mutant.witness, max_seconds), Catch::output, 2 * max_seconds, stop);
  const nlohmann::json found = found_by(run);
  if (has_verdict(found, "pass")) {
    known.executions = std::numeric_limits<uint64_t>::max();
  } else if (has_verdict(found, "inconclusive")) {
    known.executions = std::max(known.executions, executions_of(found));
  } else if (!run.timed_out && !tells_nothing(mutant, run)) {
    known.failure = effect_of(found);
  }
}

/// `pto2 check` of a scenario.
std::vector<std::string> Mutants::search_of(const std::string& scenario, double max_seconds) const {
  return {(folder_ / "pto2-check").string(),
          "check",
          scenario,
          "--deep",
          "--json",
          "-",
          "--max-seconds",
          fmt::format("{}", max_seconds)};
}

void Mutants::run_program(MutantResult& result, const std::stop_token& stop) {
  const std::string& witness = result.mutant.witness;
  const ChildResult& control = control_of(witness, stop);
  if (const std::string reason = failure_of(control, 4 * max_seconds_); !reason.empty()) {
    const bool is_unknown = control.timed_out || tells_nothing(result.mutant, control);
    result.status = is_unknown ? MutantStatus::inconclusive : MutantStatus::survived;
    result.effect = fails_anyway + reason;
    return;
  }
  const double limit = std::max(max_seconds_, 4 * control.seconds);
  const ChildResult run = run_child(with_mutant(result.mutant, command_of(witness)),
                                    Catch::output_and_errors, limit, stop);
  result.seconds = run.seconds;
  result.repeat = fmt::format("{} {}", choice_of(result.mutant), (folder_ / witness).string());
  result.effect = failure_of(run, limit);
  if (result.effect.empty()) {
    result.effect = "the witness passes";
  } else if (tells_nothing(result.mutant, run)) {
    result.status = MutantStatus::inconclusive;
  } else if (!run.timed_out) {
    result.status = MutantStatus::killed;
  }
}

/// The program and the arguments of the command line `witness`.
std::vector<std::string> Mutants::command_of(const std::string& witness) const {
  std::vector<std::string> command;
  std::istringstream words(witness);
  for (std::string word; words >> word;) command.push_back(word);
  command[0] = (folder_ / command[0]).string();
  return command;
}

const ChildResult& Mutants::control_of(const std::string& witness, const std::stop_token& stop) {
  std::unique_lock lock(lock_);
  auto& control = controls_[witness];
  if (!control) control = std::make_unique<Control>();
  Control& found = *control;
  lock.unlock();
  std::call_once(found.ran, [&] {
    found.run = run_child(command_of(witness), Catch::output_and_errors, 4 * max_seconds_, stop);
  });
  return found.run;
}

}  // namespace pto2::scenarios
