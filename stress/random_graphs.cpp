/// Random task graphs on random devices: each run must do what a sequential interpreter and a
/// counting oracle predict, to the byte, the edge and the recommended size.
///
///   random_graphs --executor seeded|packed|threads --runs A..B [--graphs plain|clustered|both]
///                 [--jobs N] [--mistakes] [--show] [--shrink]
///
/// Clustered graphs have groups that hold clusters, tasks and parts pinned to them, their pipes,
/// block tasks, and tasks for schedulers and accelerators; plain ones have none. With both, each
/// run has one of either kind. With --mistakes every program has a mistake that ends it while tasks
/// are on their way. Run number n decides everything: the program, the device and, on the seeded
/// executor, the schedule. A failure prints the program and the command that repeats it; with
/// --shrink, a smaller program that is wrong on the device and under the schedules that follow from
/// the same number. Exit: 0, 1 when a run was wrong or when 1000 runs or more did not show every
/// outcome or, of clustered graphs, every case of the census, which is printed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "runtime/output/guarded.hpp"
#include "stress/crash_report.hpp"
#include "stress/numbered_runs.hpp"
#include "tests/support/graph_shrink.hpp"
#include "tests/support/graph_trial.hpp"

namespace pto2 {
namespace {

using graphs::Graphs;
using graphs::Outcome;
using graphs::Trial;

struct Options {
  std::string executor = "seeded";
  std::string runs = "0..1000";
  std::string graphs = "both";
  uint32_t jobs = 1;
  bool mistakes = false;
  bool show = false;
  bool shrink = false;
};

/// Runs with graphs of one kind.
class RandomGraphs {
 public:
  RandomGraphs(const Options& options, Graphs kind)
      : options_(options), kind_(kind), executor_(test::executor_named(options.executor)) {}

  void run(uint64_t number) {
    Trial trial(number, options_.mistakes ? graphs::Mistakes::always : graphs::Mistakes::sometimes,
                kind_);
    std::vector<std::string> problems;
    graphs::Census census;
    const Outcome outcome = trial.run(executor_, number, problems, &census);
    if (kind_ == Graphs::clustered) add(census);
    counts_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed);
    if (outcome == Outcome::wrong && options_.shrink) {
      print_shrunk(number, trial.program());
    } else if (outcome == Outcome::wrong || options_.show) {
      print(number, trial, problems);
    }
  }

  /// Repeats a run with "--runs A..B" behind it.
  [[nodiscard]] std::string command() const {
    return fmt::format("{} --executor {} --graphs {}{}", test::program_under_test("random_graphs"),
                       options_.executor, name(), options_.mistakes ? " --mistakes" : "");
  }

  /// The closing lines. Returns the exit code.
  int finish(uint64_t runs, double seconds) const {
    std::string counts;
    bool all_seen = true;
    for (std::size_t i = 0; i < graphs::outcomes; ++i) {
      const auto outcome = static_cast<Outcome>(i);
      counts += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts_[i].load(), name_of(outcome));
      const bool of_a_pipe = outcome == Outcome::overflow || outcome == Outcome::underflow;
      const bool is_ended = outcome == Outcome::passed || of_a_pipe;
      const bool possible = outcome != Outcome::wrong && !(options_.mistakes && is_ended) &&
                            (kind_ == Graphs::clustered || graphs::is_for_plain(outcome));
      all_seen &= !possible || counts_[i].load() != 0;
    }
    fmt::print("random {} graphs on {}: {}, {:.1f} s\n", name(), options_.executor, counts,
               seconds);
    if (kind_ == Graphs::clustered) {
      fmt::print("{}", census_.text());
      for (std::size_t i = 0; i < graphs::cases; ++i) {
        all_seen &= census_.of(static_cast<graphs::Case>(i)) != 0;
      }
    }
    if (runs >= 1000 && !all_seen) {
      fmt::print(
          "not every outcome or case occurred: the generator or the devices have become "
          "one-sided\n");
      return 1;
    }
    return counts_[static_cast<std::size_t>(Outcome::wrong)].load() == 0 ? 0 : 1;
  }

 private:
  [[nodiscard]] const char* name() const {
    return kind_ == Graphs::clustered ? "clustered" : "plain";
  }

  void add(const graphs::Census& census) {
    const std::lock_guard lock(mutex_);
    census_.add(census);
  }

  void print_shrunk(uint64_t number, const graphs::Program& program) {
    constexpr uint64_t schedules = 20;
    std::vector<std::string> problems;
    const auto is_wrong = [&](const graphs::Program& candidate) {
      Trial trial(number, candidate);
      for (uint64_t i = 0; i < schedules; ++i) {
        problems.clear();
        if (trial.run(executor_, number + i, problems) == Outcome::wrong) return true;
      }
      return false;
    };
    const Trial smallest(number, graphs::shrink(program, is_wrong));
    is_wrong(smallest.program());
    print(number, smallest, problems);
  }

  void print(uint64_t number, const Trial& trial, const std::vector<std::string>& problems) {
    const std::lock_guard lock(mutex_);
    fmt::print("{}device: {}\nexpected: {}\n", graphs::to_string(trial.program()),
               test::text_of(trial.config()), name_of(trial.expected()));
    for (const std::string& problem : problems) fmt::print("run {}: {}\n", number, problem);
    fmt::print("repeat: {} --runs {}..{} {}\n\n", command(), number, number + 1,
               options_.shrink ? "--shrink" : "--show");
    std::fflush(stdout);
  }

  Options options_;
  Graphs kind_;
  test::ExecutorKind executor_;
  std::mutex mutex_;
  graphs::Census census_;
  std::array<std::atomic<uint64_t>, graphs::outcomes> counts_{};
};

int random_graphs(const Options& options) {
  const cli::NumberRange runs = cli::parse_range("--runs", options.runs);
  int exit_code = 0;
  for (const Graphs kind : {Graphs::plain, Graphs::clustered}) {
    if (options.graphs == (kind == Graphs::plain ? "clustered" : "plain")) continue;
    RandomGraphs graphs(options, kind);
    CrashReport crash(
        [&](uint64_t number) { return fmt::format("{} --runs {}", graphs.command(), number); });
    const double seconds = for_each_run(runs, options.jobs, [&](uint64_t number) {
      crash.during(number, [&] { graphs.run(number); });
    });
    exit_code = std::max(exit_code, graphs.finish(runs.size(), seconds));
  }
  return exit_code;
}

}  // namespace
}  // namespace pto2

int main(int argc, char** argv) {
  pto2::Options options;
  CLI::App app{"Random task graphs against a sequential interpreter"};
  app.add_option("--executor", options.executor, "seeded, packed or threads")
      ->check(CLI::IsMember({"seeded", "packed", "threads"}))
      ->capture_default_str();
  app.add_option("--runs", options.runs, "A..B, both included")->capture_default_str();
  app.add_option("--graphs", options.graphs,
                 "plain, clustered (groups, pinned tasks, block tasks), or both of each number")
      ->check(CLI::IsMember({"plain", "clustered", "both"}))
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "runs at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_flag("--mistakes", options.mistakes, "a mistake in every program");
  app.add_flag("--show", options.show, "print every program");
  app.add_flag("--shrink", options.shrink, "shrink the program of a wrong run");
  CLI11_PARSE(app, argc, argv);
  return pto2::cli::guarded([&] { return pto2::random_graphs(options); },
                            {.memory = "use a smaller case", .thread = "use fewer --jobs"});
}
