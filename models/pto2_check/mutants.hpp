/// Runs the mutants: programs with a planted bug, each of which its witness must find.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "models/pto2_check/child_program.hpp"
#include "models/pto2_check/outcome.hpp"

namespace pto2::scenarios {

/// Most that finding one may take.
inline constexpr double mutant_seconds = 60;

struct Mutant {
  std::string name;
  std::string kind;     ///< of its witness: checker, seeded, random, unit or executor
  std::string witness;  ///< a scenario, or the command line of a program
};

struct MutantResult {
  Mutant mutant;
  Outcome outcome = Outcome::survived;
  std::string effect;  ///< what the witness showed, or why there is no verdict
  std::string
      token;  ///< of a scenario, for the mutant's own program: bin/mutants/NAME replay TOKEN
  double seconds = 0;
};

class Mutants {
 public:
  /// Those built beside this program.
  Mutants();
  /// Those in `folder`, which has a file `catalogue` with a line `NAME quick|long KIND WITNESS` for
  /// each, and a program of that name. The witnesses are in its parent folder. Finding a mutant may
  /// take `max_seconds`.
  explicit Mutants(std::filesystem::path folder, double max_seconds = mutant_seconds)
      : folder_(std::move(folder)), max_seconds_(max_seconds) {}

  /// Those whose name contains `pattern`; with `quick` those alone that are marked so. Throws
  /// std::runtime_error if one of them has not been built.
  [[nodiscard]] std::vector<Mutant> matching(const std::string& pattern, bool quick) const;

  /// Runs the witness on the mutant, until a stop is requested. A mutant that only takes too long
  /// survives: to recognise a hang is the witness's own business. A program is run once without the
  /// bug, too, before the first mutant that names it: it must pass there. Throws std::runtime_error
  /// if it has not been built, or no process can be had.
  MutantResult run(const Mutant& mutant, const std::stop_token& stop);

 private:
  void explore(MutantResult& result, const std::stop_token& stop) const;
  void run_program(MutantResult& result, const std::stop_token& stop);
  [[nodiscard]] std::string failure_of(const ChildResult& run) const;
  std::string failure_without_bug(const std::string& witness, const std::stop_token& stop);

  std::filesystem::path folder_;
  double max_seconds_;
  std::map<std::string, std::string> controls_;  // why a witness fails without a bug; "": it passes
};

/// What is wrong, in one line, by what a test program printed; "" if it does not say.
[[nodiscard]] std::string complaint(const std::string& text);

}  // namespace pto2::scenarios
