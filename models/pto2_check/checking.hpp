/// Explores the scenarios of a catalogue.
#pragma once

#include <cstdint>
#include <pto2/checker.hpp>
#include <stop_token>
#include <string>

#include "models/pto2_check/catalogue.hpp"

namespace pto2::scenarios {

struct CheckSettings {
  unsigned jobs = 1;       ///< OS threads per search
  double max_seconds = 0;  ///< per scenario, 0 is none
  bool progress = false;   ///< a line on stderr
  std::stop_token stop{};  ///< ends the search under way, and those to come before they begin
};

/// Explores all executions of `entry`. Another number of executions than expected is a failure,
/// told by the report's reason.
model::Report check(const Entry& entry, const CheckSettings& settings);

/// Explores the one execution that `token`, of a violation of `entry`, names. Throws
/// std::invalid_argument if it is no such token.
model::Report replay(const Entry& entry, const std::string& token);

}  // namespace pto2::scenarios
