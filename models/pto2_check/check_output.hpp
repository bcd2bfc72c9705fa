/// What `pto2 check` prints and writes.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <pto2/checker.hpp>
#include <string>
#include <vector>

#include "models/pto2_check/mutants.hpp"
#include "models/pto2_check/weakening.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/result_files.hpp"

namespace pto2::scenarios {

class CheckOutput {
 public:
  /// Opens the files; "" is none, "-" stdout, which then takes the place of the text. Throws
  /// CliError (bad input), and CliError (usage) if both are stdout, or the same file.
  CheckOutput(const std::string& json, const std::string& junit);
  ~CheckOutput();

  /// What is wanted is there, and the work begins: removes the files that there are of earlier
  /// work. Throws CliError (bad input).
  void begin() const { files_.remove_former(); }
  /// Prints the result of one scenario, weakening or mutant, and keeps it.
  void add(const model::Report& report);
  void add(const WeakeningResult& result);
  void add(const MutantResult& result);

  /// Prints the summary, writes the files and says how it all came out: with the code of the
  /// interruption, or of an error, if one ended it early, and nothing had failed before.
  cli::ExitCode finish(std::optional<cli::ExitCode> interrupted);

 private:
  [[nodiscard]] std::string json_text(bool interrupted) const;

  cli::ResultFiles files_;
  std::unique_ptr<nlohmann::ordered_json> harnesses_;
  std::unique_ptr<nlohmann::ordered_json> orders_;
  std::unique_ptr<nlohmann::ordered_json> mutants_;
  std::vector<cli::JunitCase> cases_;
};

}  // namespace pto2::scenarios
