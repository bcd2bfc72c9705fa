/// Runs of the whole runtime that are drawn from seeds, on OS threads.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "stress/simulation/simulate.hpp"
#include "stress/stressing/unit.hpp"

namespace pto2::stress {

class DrawnUnit final : public Unit {
 public:
  DrawnUnit(std::string name, simulations::Options options,
            simulations::MakeSubject make = simulations::make_subject)
      : Unit(std::move(name)), options_(std::move(options)), make_(std::move(make)) {}

  [[nodiscard]] bool has_seeds() const override { return true; }
  [[nodiscard]] std::optional<FanOutKind> fan_out() const override { return options_.fan_out; }
  [[nodiscard]] std::string options_of_repeat() const override;
  /// What its runs are.
  [[nodiscard]] const simulations::Options& options() const { return options_; }
  UnitReport run(const Budget& budget, const cli::NumberRange& seeds, UnitCounts& counts) override;
  [[nodiscard]] std::vector<std::string> simulations(uint64_t seed) const override;
  [[nodiscard]] Simulated simulate(const std::string& token) override;
  [[nodiscard]] Simulated shrink(const std::string& token, std::chrono::nanoseconds time) override;

 private:
  simulations::Options options_;
  simulations::MakeSubject make_;
};

}  // namespace pto2::stress
