/// Runs the mutants: programs that explore one scenario on a core with a seeded bug.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "models/check/outcome.hpp"

namespace pto2::scenarios {

/// Most that finding one may take.
inline constexpr double mutant_seconds = 60;

struct MutantResult {
  std::string name;
  Outcome outcome = Outcome::survived;
  std::string witness;  ///< the scenario that was run
  std::string effect;   ///< what it showed, or why there is no verdict
  std::string token;    ///< for the mutant's own program: bin/mutants/NAME replay TOKEN
  double seconds = 0;
};

/// The names of the mutants whose name contains `pattern`, as built beside this program; with
/// `quick` a third of them. Throws std::runtime_error if they have not been built.
std::vector<std::string> mutants(const std::string& pattern, bool quick);

/// Runs one of them, until a stop is requested.
MutantResult run_mutant(const std::string& name, const std::stop_token& stop);

}  // namespace pto2::scenarios
