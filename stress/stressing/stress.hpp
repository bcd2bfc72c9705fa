/// Units, one after the other, each in a process of its own, with schedule noise; and what became
/// of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stress/noise.hpp"
#include "stress/stressing/isolated.hpp"
#include "stress/stressing/unit.hpp"

namespace pto2::stress {

/// A run that went wrong, or the end of the unit's process.
struct Failure {
  std::string text;     ///< what was wrong; the process's last words, if it did not return
  std::string command;  ///< repeats it: `pto2 stress ..`
  uint64_t seen = 0;    ///< of `tries` with this command
  uint64_t tries = 0;
  uint64_t runs_cut_off = 0;  ///< right ones, of a try that the time cut off
  std::string token;          ///< of a simulation that goes wrong, too; empty: none was found
  std::string story;          ///< of that simulation
};

struct UnitResult {
  std::string name;
  uint64_t runs = 0;
  uint64_t tasks = 0;
  double seconds = 0;
  bool has_seeds = false;
  std::optional<FanOutKind> fan_out = {};  ///< Unit::fan_out()
  cli::NumberRange seeds{1, 1};            ///< that were begun, if it has them
  UnitReport report;
  bool has_report = true;  ///< its process came to its end and told it
  std::vector<Failure> failures;
  bool interrupted = false;
};

struct StressOptions {
  Budget budget;  ///< of each unit
  /// A share in which a unit makes its first run, unless the machine is slow.
  static constexpr double least_seconds = 0.05;
  static constexpr uint64_t without_end = ~uint64_t{0} - 1;
  cli::NumberRange seeds{1, without_end};
  std::vector<NoiseKind> noise;
  double repeat_seconds = 30;    ///< a failure is tried again for at most so long,
  uint64_t repeat_tries = 200;   ///< and so often
  double simulate_seconds = 60;  ///< a simulation that fails, too, is looked for so long
  std::function<void(const Unit&, const UnitCounts&, double seconds)> progress;  ///< may be empty
};

/// Runs one unit. Throws std::system_error if the system refuses a process, and CliError (bad
/// input) if the unit cannot run: what it needs is not there, or too little of the machine. That is
/// no wrong run, and not tried again.
UnitResult stress(Unit& unit, const StressOptions& options, PendingSignals& signals);

}  // namespace pto2::stress
