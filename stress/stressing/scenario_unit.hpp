/// A scenario of models/ on OS threads.
#pragma once

#include "stress/scenario_loop.hpp"
#include "stress/stressing/unit.hpp"

namespace pto2::stress {

/// A broken property ends the process, and so does a lost wake-up, with a report.
class ScenarioUnit final : public Unit {
 public:
  using MakeLoop = std::unique_ptr<scenarios::RoleLoop>(const std::string& name, uint64_t runs,
                                                        std::chrono::nanoseconds limit,
                                                        std::atomic<uint64_t>* ended);

  /// `scenario`: its name, as the checker has it.
  ScenarioUnit(const std::string& scenario, MakeLoop* make)
      : Unit("scenarios/" + scenario), make_(make) {}

  [[nodiscard]] bool has_seeds() const override { return false; }

  UnitReport run(const Budget& budget, const cli::NumberRange&, UnitCounts& counts) override {
    make_(name(), std::min(budget.runs, budget.tasks), budget.time(), &counts.runs)->run();
    counts.tasks.store(counts.runs.load());
    return {{{"passed", counts.runs.load()}}, {}, {}};
  }

 private:
  MakeLoop* make_;
};

struct AddScenario {
  Units& units;

  template <class S>
  void operator()(const std::string& name) const {
    units.push_back(std::make_unique<ScenarioUnit>(
        name,
        [](const std::string& unit, uint64_t runs, std::chrono::nanoseconds limit,
           std::atomic<uint64_t>* ended) -> std::unique_ptr<scenarios::RoleLoop> {
          return std::make_unique<scenarios::ScenarioLoop<S>>(unit, runs, limit, ended);
        }));
  }
};

/// Those of pieces, and those of the whole runtime.
void add_pieces(Units& units);
void add_whole_runtime(Units& units);

}  // namespace pto2::stress
