/// What `pto2 simulate` tells: text on stdout, JSON, JUnit.
#pragma once

#include <optional>
#include <string>

#include "runtime/output/exit_codes.hpp"
#include "runtime/output/result_files.hpp"
#include "stress/simulation/simulate.hpp"

namespace pto2::simulations {

class SimulateOutput {
 public:
  /// Empty names: not wanted; "-": stdout, which has no text then. Throws CliError.
  SimulateOutput(const std::string& json, const std::string& junit) : files_(json, junit) {}

  /// What is wanted is there, and the work begins: removes the files that there are of earlier
  /// work. Throws CliError (bad input).
  void begin() const { files_.remove_former(); }
  /// Writes all of it. `shrunk`: of the first wrong seed, if there is one. `interrupted`: the code
  /// of the signal that ended it early.
  cli::ExitCode finish(const Options& options, const cli::NumberRange& seeds,
                       const Summary& summary, const std::optional<Shrunk>& shrunk,
                       std::optional<cli::ExitCode> interrupted);

 private:
  cli::ResultFiles files_;
};

}  // namespace pto2::simulations
