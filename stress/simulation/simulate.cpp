#include "stress/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/device/standing_guard.hpp"
#include "runtime/executors/weak_memory.hpp"
#include "runtime/output/exit_codes.hpp"
#include "stress/crash_report.hpp"
#include "stress/simulation/memory_reserve.hpp"
#include "stress/simulation/progress.hpp"
#include "stress/simulation/run_hash.hpp"

namespace pto2::simulations {
namespace {

bool is_repeated(ExecutorKind executor, uint64_t seed, const SimulatedRun& run) {
  return is_simulated(executor) && seed % seeds_per_repetition == 0 && !run.timed_out;
}

/// The problems of a result may be the same in other words, with other handles. A run that was
/// given up has none, and says what it was in the words of the simulation, which knows no handles.
bool is_same(const SimulatedRun& first, const SimulatedRun& second) {
  const bool has_result = first.result.points != 0;
  return hash_of(second.result) == hash_of(first.result) && second.outcome == first.outcome &&
         second.wrong() == first.wrong() && (has_result || second.problems == first.problems);
}

class Simulation {
 public:
  Simulation(const Options& options, const cli::NumberRange& seeds, std::stop_token stop,
             const Watch& watch, CrashReport& crash)
      : options_(options),
        seeds_(seeds),
        stop_(std::move(stop)),
        watch_(watch),
        progress_(seeds.last - seeds.first + 1),
        crash_(crash) {}

  /// On one OS thread, until there are no more seeds. What a run throws ends all of them.
  void work(Subject& subject) {
    try {
      run_seeds(subject);
    } catch (...) {
      fail(std::current_exception());
    }
  }
  /// Nobody begins another seed.
  void fail(std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::move(why);
    enough_wrong_ = true;
  }

  /// Throws what ended it, unless there is something to tell all the same.
  Summary finish(const Subject& subject) {
    progress_.clear();
    if (failure_ != nullptr) MemoryReserve::release();
    if (failure_ != nullptr && summary_.wrong_runs == 0) std::rethrow_exception(failure_);
    summary_.failure = failure_;
    return summarise(subject);
  }

 private:
  void run_seeds(Subject& subject) {
    const StandingGuard at_crash;
    for (uint64_t seed = next(); is_left(seed); seed = next()) {
      SimulatedRun run;
      if (watch_.begins) watch_.begins(seed);
      crash_.during(seed, [&] { run = run_seed(subject, options_.executor, seed); });
      add(seed, std::move(run));
    }
  }

  Summary summarise(const Subject& subject) {
    summary_.seconds = progress_.seconds();
    std::ranges::sort(summary_.wrong, {}, &WrongSeed::seed);
    // Runs of other jobs were under way when enough were wrong.
    summary_.wrong.resize(std::min(summary_.wrong.size(), most_wrong));
    constexpr uint64_t enough = 1000;
    if (summary_.runs < enough) return summary_;
    for (const std::string& outcome : subject.usual_outcomes()) {
      if (!summary_.outcomes.contains(outcome)) summary_.never_seen.push_back(outcome);
    }
    for (const auto& [fault, counts] : summary_.faults) {
      if (fault == Fault::none || counts.reached != 0) continue;
      summary_.never_seen.push_back(fmt::format("a run that comes to {}", name_of(fault)));
    }
    const graphs::Census& census = summary_.census;
    for (std::size_t i = 0; i < graphs::cases && census.runs() != 0; ++i) {
      const auto which = static_cast<graphs::Case>(i);
      if (census.of(which) == 0) summary_.never_seen.emplace_back(graphs::name_of(which));
    }
    return summary_;
  }

  /// Counted from the first seed, so that the last one may be the largest number.
  uint64_t next() { return seeds_.first + taken_.fetch_add(1, std::memory_order_relaxed); }
  bool is_left(uint64_t seed) const {
    return seed - seeds_.first <= seeds_.last - seeds_.first && !stop_.stop_requested() &&
           !enough_wrong_.load(std::memory_order_relaxed);
  }

  void add(uint64_t seed, SimulatedRun run) {
    const std::lock_guard lock(mutex_);
    ++summary_.runs;
    summary_.repeated += run.repetition == Repetition::same ? 1 : 0;
    const std::string outcome = run.wrong() ? "wrong" : run.outcome;
    ++summary_.outcomes[outcome];
    FaultCounts& fault = summary_.faults[run.fault];
    ++fault.runs;
    fault.reached += run.fault_reached ? 1 : 0;
    ++fault.outcomes[outcome];
    summary_.census.add(run.census);
    summary_.tasks += run.tasks;
    summary_.points += run.points;
    if (run.timed_out) summary_.timed_out = enough_wrong_ = true;
    if (watch_.ended) watch_.ended(run);
    if (run.wrong()) {
      ++summary_.wrong_runs;
      crash_.add_wrong(seed);
      summary_.wrong.push_back(
          {seed, std::move(run.problems), run.livelocked, run.repetition == Repetition::other});
      if (summary_.wrong.size() >= most_wrong) enough_wrong_ = true;
    }
    progress_.add_one(summary_.wrong_runs);
  }

  const Options& options_;
  cli::NumberRange seeds_;
  std::stop_token stop_;
  const Watch& watch_;
  std::atomic<uint64_t> taken_{0};
  std::atomic<bool> enough_wrong_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  Summary summary_;
  Progress progress_;
  CrashReport& crash_;
};

}  // namespace

/// What a run leaves behind may harm the next alone.
SimulatedRun run_seed(Subject& subject, ExecutorKind executor, uint64_t seed) {
  SimulatedRun first = subject.run(seed);
  if (!is_repeated(executor, seed, first)) return first;
  const SimulatedRun second = subject.run(seed);
  first.repetition = is_same(first, second) ? Repetition::same : Repetition::other;
  if (first.repetition == Repetition::same) return first;
  first.timed_out = second.timed_out;
  first.outcome = "wrong";
  first.problems.emplace_back("the second run of the seed differed from the first");
  for (const std::string& problem : second.problems) {
    first.problems.push_back("of the second run: " + problem);
  }
  return first;
}

Summary simulate(const Options& options, const cli::NumberRange& seeds, uint32_t jobs,
                 const std::stop_token& stop, const MakeSubject& make, const Watch& watch) {
  CrashReport crash([&](uint64_t seed) {
    return watch.repeat ? watch.repeat(seed) : replay_command(Token{options, seed, {}});
  });
  std::vector<std::unique_ptr<Subject>> subjects;
  // Code of the user's may end the program here already, and does so for any seed.
  crash.during(seeds.first, [&] {
    for (uint32_t i = 0; i < jobs; ++i) subjects.push_back(make(options));
  });
  Simulation simulation(options, seeds, stop, watch, crash);
  {
    std::vector<std::jthread> others;
    try {
      for (uint32_t i = 1; i < jobs; ++i) {
        others.emplace_back([&, i] { simulation.work(*subjects[i]); });
      }
    } catch (const std::system_error&) {
      simulation.fail(std::current_exception());
    }
    simulation.work(*subjects.front());
  }
  return simulation.finish(*subjects.front());
}

void check_weakening(const Options& options, const Summary& summary, bool interrupted) {
  if (options.weaken.empty() || executors::WeakMemory::weakening_was_used) return;
  if (summary.wrong_runs != 0 || interrupted) return;
  throw cli::CliError(cli::exit_usage,
                      fmt::format("no run asked for a memory order called {}; docs/PROTOCOLS.md "
                                  "has their names",
                                  options.weaken));
}

}  // namespace pto2::simulations
