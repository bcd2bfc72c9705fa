/// What `pto2 stress` can run: a scenario of models/ on OS threads, or drawn runs of the whole
/// runtime on an executor.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/output/numbers.hpp"
#include "stress/simulation/simulate.hpp"
#include "stress/stressing/unit_counts.hpp"

namespace pto2::stress {

/// What one unit may use up: it ends with the first that is reached.
struct Budget {
  double seconds = std::numeric_limits<double>::infinity();
  uint64_t runs = ~uint64_t{0};
  uint64_t tasks = ~uint64_t{0};  ///< a run of a scenario counts as one

  /// The seconds, but for at most a year.
  [[nodiscard]] std::chrono::nanoseconds time() const {
    constexpr double year = 365.0 * 24 * 3600;
    return std::chrono::nanoseconds(static_cast<int64_t>(std::min(seconds, year) * 1e9));
  }
};

/// What a unit says at its end.
struct UnitReport {
  std::map<std::string, uint64_t> outcomes;
  std::vector<std::string> never_seen;  ///< outcomes and cases that so many runs should have shown
  std::vector<simulations::WrongSeed> wrong;
};

/// A simulation that goes wrong.
struct Simulated {
  std::string token;        ///< empty: none was found
  std::string story;        ///< whole lines
  bool may_shrink = false;  ///< it ends by itself, so that smaller ones may be tried
};

class Unit {
 public:
  explicit Unit(std::string name) : name_(std::move(name)) {}
  virtual ~Unit() = default;
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Runs of it follow from seeds, but for the order of steps.
  [[nodiscard]] virtual bool has_seeds() const = 0;
  /// That its runs have; nothing: it was given none.
  [[nodiscard]] virtual std::optional<FanOutKind> fan_out() const { return std::nullopt; }
  /// The options of `pto2 stress` without which a command would repeat something else; begins with
  /// a space, or is empty.
  [[nodiscard]] virtual std::string options_of_repeat() const { return {}; }
  /// Runs with the seeds in turn until the budget is used up or enough is wrong: a scenario ends
  /// with its first wrong run, drawn runs with the tenth (simulations::most_wrong). A broken
  /// invariant ends the process. Throws what a run throws.
  virtual UnitReport run(const Budget& budget, const cli::NumberRange& seeds,
                         UnitCounts& counts) = 0;
  /// Tokens of the simulations with this seed, which may go wrong, too.
  [[nodiscard]] virtual std::vector<std::string> simulations(uint64_t seed) const {
    (void)seed;
    return {};
  }
  /// Repeats a simulation. No token if it goes right.
  [[nodiscard]] virtual Simulated simulate(const std::string& token) {
    (void)token;
    return {};
  }
  /// Tries less and less of the simulation that a token repeats, and begins nothing more after this
  /// time. Returns the least that goes wrong; no token if it does so no more.
  [[nodiscard]] virtual Simulated shrink(const std::string& token, std::chrono::nanoseconds time) {
    (void)token, (void)time;
    return {};
  }

 private:
  std::string name_;
};

using Units = std::vector<std::unique_ptr<Unit>>;

/// Each scenario; those of the fan-out with both, of the whole runtime with the word. Their names
/// are scenarios/ and the name that the checker has.
[[nodiscard]] Units scenario_units();

/// How runs are drawn.
struct Drawn {
  FanOutKind fan_out = FanOutKind::word;
  std::string case_name = {};  ///< of the workloads that have it; empty: the first of each
  bool stub_kernels = false;   ///< of workloads: kernels check the order of their data alone
};
/// Random graphs of each kind, and a case of each workload, on each executor with OS threads. Names
/// are graphs/KIND/EXECUTOR and workloads/NAME:CASE/EXECUTOR.
[[nodiscard]] Units drawn_units(const Drawn& drawn);

}  // namespace pto2::stress
