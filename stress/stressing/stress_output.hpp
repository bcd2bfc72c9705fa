/// What `pto2 stress` tells: text on stdout, JSON, JUnit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/output/exit_codes.hpp"
#include "runtime/output/result_files.hpp"
#include "stress/stressing/stress.hpp"

namespace pto2::stress {

class StressOutput {
 public:
  /// Empty names: not wanted; "-": stdout, which has no text then. Throws CliError.
  StressOutput(const std::string& json, const std::string& junit) : files_(json, junit) {}

  /// What is wanted is there, and the work begins: removes the files that there are of earlier
  /// work. Throws CliError (bad input).
  void begin() const { files_.remove_former(); }
  /// Writes the line of a unit that has ended, and its failures.
  void add(UnitResult result);
  /// A run of a unit was wrong.
  [[nodiscard]] bool has_failed() const;
  /// Writes the rest. `units`: how many there were to be; `interrupted`: the code of the signal
  /// that ended it early.
  cli::ExitCode finish(std::size_t units, const StressOptions& options,
                       std::optional<cli::ExitCode> interrupted);

 private:
  [[nodiscard]] cli::ExitCode exit_code(std::optional<cli::ExitCode> interrupted) const;
  [[nodiscard]] std::string json_text(std::size_t units, const StressOptions& options,
                                      cli::ExitCode code, bool interrupted) const;

  cli::ResultFiles files_;
  std::vector<UnitResult> results_;
};

}  // namespace pto2::stress
