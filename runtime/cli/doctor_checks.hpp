/// What the runtime needs from a machine, one check each.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pto2::cli {

enum class CheckStatus { ok, warn, fail };
const char* status_name(CheckStatus status);

struct Check {
  std::string name;
  CheckStatus status;
  std::string detail;  ///< what was found and, unless ok, what to do
};

/// The check of so many bytes; nothing if the machine does not say how many it has.
Check check_memory(std::optional<double> available);

std::vector<Check> run_doctor_checks();

}  // namespace pto2::cli
