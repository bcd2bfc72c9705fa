/// A scenario of models/ on OS threads.
#pragma once

#include "stress/scenario_loop.hpp"
#include "stress/stressing/unit.hpp"

namespace pto2::stress {

/// A broken property ends the process, and so does a lost wake-up, with a report.
template <scenarios::Scenario S>
class ScenarioUnit final : public Unit {
 public:
  /// `scenario`: its name, as the checker has it.
  explicit ScenarioUnit(const std::string& scenario) : Unit("scenarios/" + scenario) {}

  [[nodiscard]] bool has_seeds() const override { return false; }

  UnitReport run(const Budget& budget, const cli::NumberRange&, UnitCounts& counts) override {
    std::make_unique<scenarios::ScenarioLoop<S>>(name(), std::min(budget.runs, budget.tasks),
                                                 budget.time(), &counts.runs)
        ->run();
    counts.tasks.store(counts.runs.load());
    return {{{"passed", counts.runs.load()}}, {}, {}};
  }
};

struct AddScenario {
  Units& units;

  template <class S>
  void operator()(const std::string& name) const {
    units.push_back(std::make_unique<ScenarioUnit<S>>(name));
  }
};

/// Those of pieces, and those of the whole runtime.
void add_pieces(Units& units);
void add_whole_runtime(Units& units);

}  // namespace pto2::stress
