/// What the runtime needs from a machine, one check each.
#pragma once

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

std::vector<Check> run_doctor_checks();

}  // namespace pto2::cli
