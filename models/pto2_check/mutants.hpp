/// Runs the mutants: planted bugs, each of which its witness must find. The programs have all of
/// them, and run with the one whose number is in the variable PTO2_MUTANT
/// (models/mutants/chosen.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "models/pto2_check/child_program.hpp"
#include "models/pto2_check/mutant_status.hpp"

namespace pto2::scenarios {

/// Most that finding one may take, unless the witness itself takes long.
inline constexpr double mutant_seconds = 60;
/// What part of that a scenario is explored without the bug, unless finding it took long.
inline constexpr double part_without_bug = 1. / 6;

struct Mutant {
  std::string name;
  uint32_t number = 0;
  std::string kind;     ///< of its witness: checker, seeded, random, unit or executor
  std::string witness;  ///< a scenario, or the command line of a program
};

struct MutantResult {
  Mutant mutant;
  MutantStatus status = MutantStatus::survived;
  std::string effect;  ///< what the witness showed, or why there is no verdict
  std::string repeat;  ///< the command line that shows it again
  double seconds = 0;
};

class Mutants {
 public:
  /// Those built beside this program, or else below its build tree: ../mutants/build/bin.
  Mutants();
  /// Those in `folder`, which has the programs and a file `catalogue` with a line
  /// `NAME NUMBER quick|long KIND WITNESS` for each. Finding a mutant may take `max_seconds`.
  explicit Mutants(std::filesystem::path folder, double max_seconds = mutant_seconds)
      : folder_(std::move(folder)), max_seconds_(max_seconds) {}

  /// Those whose name contains `pattern`; with `quick` those alone that are marked so. Throws
  /// std::runtime_error if the witness of one of them has not been built, or the catalogue is none.
  [[nodiscard]] std::vector<Mutant> matching(const std::string& pattern, bool quick) const;

  /// Runs the witness on the mutant, until a stop is requested. To recognise a hang is the
  /// witness's own business: a mutant that takes longer than `max_seconds`, and than four times
  /// what a program takes without it, survives. A program is run once without the bug, too, before
  /// the first mutant that names it: it must pass there, and while it has not, in four times
  /// `max_seconds`, nothing is known. A scenario that shows a violation is explored without the
  /// bug, too: for `part_without_bug` of `max_seconds`, or for four times as long as the violation
  /// took. It must hold, and where that is not all of it, nothing is known unless it held for more
  /// executions than were explored with the bug. Nothing is known either where the system ends a
  /// witness, or a program of pto2 says that it lacked something. Threads may call this at once.
  /// Throws std::system_error if no process can be had.
  MutantResult run(const Mutant& mutant, const std::stop_token& stop);

  /// Runs all of `chosen`, `jobs` at a time, and calls `add` for each as it ends, one call at a
  /// time. Those that depend on what else the machine does run at the end, alone. After an error no
  /// further one is begun, and it is thrown: std::system_error if there can be no more threads or
  /// processes, or what `add` throws.
  void run_all(const std::vector<Mutant>& chosen, unsigned jobs, const std::stop_token& stop,
               const std::function<void(const MutantResult&)>& add);

 private:
  /// A witness without any bug.
  struct Control {
    std::once_flag ran;
    ChildResult run;
  };

  /// A scenario without any bug, as far as it has been explored.
  struct Exploration {
    std::mutex lock;
    std::string failure;      ///< why it does not hold; "" as long as it does
    uint64_t executions = 0;  ///< that hold; 2^64 - 1: all
  };

  void explore(MutantResult& result, const std::stop_token& stop);
  void judge_violation(MutantResult& result, uint64_t executions, const std::stop_token& stop);
  void explore_without_bug(Exploration& known, const Mutant& mutant, double max_seconds,
                           const std::stop_token& stop) const;
  void run_program(MutantResult& result, const std::stop_token& stop);
  [[nodiscard]] std::vector<std::string> search_of(const std::string& scenario,
                                                   double max_seconds) const;
  [[nodiscard]] std::vector<std::string> command_of(const std::string& witness) const;
  const ChildResult& control_of(const std::string& witness, const std::stop_token& stop);

  std::filesystem::path folder_;
  double max_seconds_;
  std::mutex lock_;  // of the maps
  std::map<std::string, std::unique_ptr<Control>> controls_;
  std::map<std::string, Exploration> explorations_;
};

/// What is wrong, in one line, by what a test program printed; "" if it does not say.
[[nodiscard]] std::string complaint(const std::string& text);

}  // namespace pto2::scenarios
