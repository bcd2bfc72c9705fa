#include "stress/stressing/stress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "runtime/output/shared_with_forks.hpp"
#include "runtime/output/stderr_text.hpp"
#include "stress/hang_guard.hpp"

namespace pto2::stress {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// So long in all, and idle for as long as a run may hang.
Patience patience(double seconds) {
  return {Budget{.seconds = seconds}.time(), hang_limit_in_force()};
}

/// How the unit's process ended, after its last words.
std::string problem_of(const Ended& ended) {
  const std::size_t begin = ended.errors.find_first_not_of('\n');
  if (begin == std::string::npos) return "ended by " + ended.how;
  const std::size_t last = ended.errors.find_last_not_of('\n');
  return fmt::format("{}\nended by {}", ended.errors.substr(begin, last + 1 - begin), ended.how);
}

/// From the unit's process to this one.
std::string to_text(const UnitReport& report) {
  Json wrong = Json::array();
  for (const simulations::WrongSeed& seed : report.wrong) {
    wrong.push_back({{"seed", seed.seed}, {"problems", seed.problems}});
  }
  return Json{{"outcomes", report.outcomes}, {"never_seen", report.never_seen}, {"wrong", wrong}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

UnitReport report_of(const std::string& text) {
  const Json json = Json::parse(text);
  UnitReport report{json.at("outcomes"), json.at("never_seen"), {}};
  for (const Json& wrong : json.at("wrong")) {
    report.wrong.push_back({wrong.at("seed"), wrong.at("problems")});
  }
  return report;
}

class Stressing {
 public:
  Stressing(Unit& unit, const StressOptions& options, PendingSignals& signals)
      : unit_(unit), options_(options), signals_(signals) {}

  UnitResult run() {
    const Clock::time_point begin = Clock::now();
    const Ended ended = run_with_noise(options_.budget, options_.seeds, *counts_);
    if (ended.refused) tell_refusal(ended.result);
    result_.name = unit_.name();
    result_.seconds = seconds_since(begin);
    result_.runs = counts_->runs.load();
    result_.tasks = std::max(counts_->tasks.load(), unit_.has_seeds() ? 0 : result_.runs);
    result_.has_seeds = unit_.has_seeds();
    result_.fan_out = unit_.fan_out();
    // None was begun if the process ended before.
    const uint64_t seed = std::max(options_.seeds.first, counts_->seed.load());
    result_.seeds = {options_.seeds.first, seed};
    result_.interrupted = ended.stopped;
    result_.has_report = ended.completed;
    if (ended.completed) result_.report = report_of(ended.result);
    const std::vector<simulations::WrongSeed> all_wrong =
        ended.completed ? result_.report.wrong : counts_->first_wrong();
    for (const simulations::WrongSeed& wrong : all_wrong) {
      add_failure(fmt::format("{}", fmt::join(wrong.problems, "\n")), wrong.seed);
    }
    const bool crashed = !ended.completed && !ended.stopped && !ended.refused;
    if (crashed) add_failure(problem_of(ended), seed);
    return std::move(result_);
  }

 private:
  Ended run_with_noise(const Budget& budget, const cli::NumberRange& seeds, UnitCounts& counts) {
    const Clock::time_point begin = Clock::now();
    const auto work = [&] {
      const Noise noise(options_.noise, seeds.first);
      return to_text(unit_.run(budget, seeds, counts));
    };
    const auto watch = [&] {
      if (options_.progress) options_.progress(unit_, counts, seconds_since(begin));
    };
    // Its own guard ends it when it hangs, and says where.
    return run_isolated(work, watch, patience(std::numeric_limits<double>::infinity()), signals_);
  }

  /// Throws it as what ends all units, unless a run was wrong before.
  void tell_refusal(const std::string& reason) const {
    if (counts_->wrong() == 0) {
      throw cli::CliError(cli::exit_bad_input, fmt::format("{}: {}", unit_.name(), reason));
    }
    cli::print_to_stderr("pto2: {} ended early: {}\n", unit_.name(), reason);
  }

  /// The first is tried again and looked for in simulations; the others are told.
  void add_failure(std::string text, uint64_t seed) {
    Failure failure;
    failure.text = std::move(text);
    const Budget once = budget_of_a_try();
    failure.command =
        unit_.has_seeds()
            ? fmt::format("pto2 stress {} --seeds {}..{} --noise {}{}", unit_.name(), seed, seed,
                          noise_text(options_.noise), unit_.options_of_repeat())
            : fmt::format("pto2 stress {} --runs {} --noise {}", unit_.name(), once.runs,
                          noise_text(options_.noise));
    if (result_.failures.empty() && !signals_.look()) look_into(failure, once, seed);
    result_.failures.push_back(std::move(failure));
  }

  /// As far as the machine goes along.
  void look_into(Failure& failure, const Budget& once, uint64_t seed) {
    try {
      try_again(failure, once, seed);
      if (unit_.has_seeds()) look_in_simulations(failure, seed);
    } catch (const std::exception& error) {
      tell_no_more_tries(refusal_in(error).value_or(error.what()));
    }
  }

  void tell_no_more_tries(const std::string& reason) const {
    cli::print_to_stderr("pto2: {} is not tried again any more: {}\n", unit_.name(), reason);
  }

  /// One run of what has seeds; of a scenario about as many as the failure took.
  [[nodiscard]] Budget budget_of_a_try() const {
    Budget budget;
    budget.runs = unit_.has_seeds() ? 1 : 2 * counts_->runs.load() + 1;
    return budget;
  }

  void try_again(Failure& failure, const Budget& once, uint64_t seed) {
    const Clock::time_point begin = Clock::now();
    Budget budget = once;
    while (failure.tries < options_.repeat_tries) {
      budget.seconds = options_.repeat_seconds - seconds_since(begin);
      if (budget.seconds <= 0) return;
      const cli::SharedWithForks<UnitCounts> counts;
      const Ended ended = run_with_noise(budget, {seed, seed}, *counts);
      if (ended.refused) tell_no_more_tries(ended.result);
      if (ended.stopped || ended.refused) return;
      const bool is_seen = !ended.completed || counts->wrong() != 0;
      // The time was up in the middle of it: what it has not come to is not known.
      if (!is_seen && counts->runs < once.runs) {
        failure.runs_cut_off = counts->runs;
        return;
      }
      ++failure.tries;
      failure.seen += is_seen ? 1 : 0;
    }
  }

  /// The first that goes wrong. It stays if a smaller one is right, crashes, or takes too long.
  void look_in_simulations(Failure& failure, uint64_t seed) {
    const Clock::time_point begin = Clock::now();
    const auto left = [&] { return options_.simulate_seconds - seconds_since(begin); };
    bool may_shrink = false;
    for (const std::string& token : unit_.simulations(seed)) {
      const auto find = [&] { return unit_.simulate(token); };
      const Ended ended = simulated("looked for in simulations", left(), find);
      if (ended.refused || ended.stopped) return;
      if (ended.completed) {
        may_shrink = tell_simulated(failure, ended.result);
      } else {
        failure.token = token;
        failure.story = fmt::format("ended by {}\n{}", ended.how, ended.errors);
      }
      if (!failure.token.empty()) break;
    }
    if (!may_shrink) return;
    // The try that is under way then, and the run of the story, take a while.
    const auto time = Budget{.seconds = 0.8 * left()}.time();
    const auto shrink = [&] { return unit_.shrink(failure.token, time); };
    const Ended ended = simulated("made smaller", left(), shrink);
    if (ended.completed) tell_simulated(failure, ended.result);
  }

  /// What `simulate` returns, as text. `refused`: what is not done if it is.
  template <class Simulate>
  Ended simulated(const char* refused, double seconds, const Simulate& simulate) {
    const auto work = [&] {
      const Simulated simulated = simulate();
      return Json{{"token", simulated.token},
                  {"story", simulated.story},
                  {"may_shrink", simulated.may_shrink}}
          .dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    Ended ended = run_isolated(
        work, [] {}, patience(seconds), signals_);
    if (ended.refused) {
      cli::print_to_stderr("pto2: {} is not {}: {}\n", unit_.name(), refused, ended.result);
    }
    return ended;
  }

  /// Whether there is one that may be made smaller.
  static bool tell_simulated(Failure& failure, const std::string& result) {
    const Json json = Json::parse(result);
    std::string token = json.at("token");
    if (token.empty()) return false;
    failure.token = std::move(token);
    failure.story = json.at("story");
    return json.at("may_shrink");
  }

  Unit& unit_;
  const StressOptions& options_;
  PendingSignals& signals_;
  cli::SharedWithForks<UnitCounts> counts_;
  UnitResult result_;
};

}  // namespace

UnitResult stress(Unit& unit, const StressOptions& options, PendingSignals& signals) {
  return Stressing(unit, options, signals).run();
}

}  // namespace pto2::stress
