/// Seeds of a subject, one after the other or several at a time, and what came of them.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/output/numbers.hpp"
#include "stress/simulation/subject.hpp"
#include "stress/simulation/token.hpp"

namespace pto2::simulations {

/// A seed whose run was wrong, or that was not the same run twice.
struct WrongSeed {
  uint64_t seed;
  std::vector<std::string> problems;
  bool livelocked = false;
  bool differed = false;  ///< the second run from the first
};

/// What became of the runs for which one fault was drawn.
struct FaultCounts {
  uint64_t runs = 0;
  uint64_t reached = 0;                      ///< came to the fault
  std::map<std::string, uint64_t> outcomes;  ///< of all of them
};

/// Wrong seeds that are kept.
inline constexpr std::size_t most_wrong = 10;

struct Summary {
  std::map<std::string, uint64_t> outcomes;  ///< of the runs, by name
  std::map<Fault, FaultCounts> faults;       ///< `none` among them
  graphs::Census census;
  std::vector<WrongSeed> wrong;  ///< the first, by seed; at most `most_wrong`
  uint64_t runs = 0;
  uint64_t wrong_runs = 0;
  uint64_t repeated = 0;  ///< runs that were made twice, and were the same
  uint64_t tasks = 0;
  uint64_t points = 0;
  bool timed_out = false;      ///< a run did, after which no other was begun
  std::exception_ptr failure;  ///< what ended it after a wrong run; null: nothing
  double seconds = 0;
  /// Outcomes and cases that so many runs should have shown.
  std::vector<std::string> never_seen;

  /// Whether the runs themselves keep seeds that follow from being tried. Else a signal does.
  [[nodiscard]] bool is_enough() const {
    return timed_out || failure != nullptr || wrong.size() >= most_wrong;
  }
  /// Whether the first wrong run can be tried with less and less: not if it, or one that timed out,
  /// did not end by itself, and not where something else keeps runs from their end. Nor if it takes
  /// two runs to see what is wrong, since each try is one.
  [[nodiscard]] bool may_shrink() const {
    return !wrong.empty() && !wrong.front().livelocked && !wrong.front().differed && !timed_out &&
           failure == nullptr;
  }
};

/// One seed in so many runs twice.
inline constexpr uint64_t seeds_per_repetition = 64;

/// The run of one seed as simulate() makes it: where it is made twice, it is wrong unless the
/// second is the same run, and all else that is told of it is of the first.
SimulatedRun run_seed(Subject& subject, ExecutorKind executor, uint64_t seed);

/// For who looks on. Called by the threads that run the seeds.
struct Watch {
  std::function<void(uint64_t seed)> begins;       ///< a run; may be empty
  std::function<void(const SimulatedRun&)> ended;  ///< one after the other; may be empty
  std::function<std::string(uint64_t seed)>
      repeat{};  ///< the command; empty: the replay of a token
};

using MakeSubject = std::function<std::unique_ptr<Subject>(const Options& options)>;

/// Throws CliError if there is no such subject; and std::system_error if the system refuses an OS
/// thread, std::bad_alloc once memory has ended, and what a run throws, unless a run was
/// wrong: then the summary has it. Ends early when it is told to stop, after `most_wrong` wrong
/// runs, or after one that timed out: the next may take as long. Runs of other jobs that are under
/// way then end and count. Runs on OS threads are not repeated: they need not be the same.
Summary simulate(const Options& options, const cli::NumberRange& seeds, uint32_t jobs,
                 const std::stop_token& stop, const MakeSubject& make = make_subject,
                 const Watch& watch = {});

/// Throws CliError if runs were to weaken a memory order, and none of them asked for it. When it
/// was interrupted nothing is known of the name, since a later run may ask; and what is wrong is
/// told in any case.
void check_weakening(const Options& options, const Summary& summary, bool interrupted);

}  // namespace pto2::simulations
