#pragma once

#include "stress/graphs/trial.hpp"
#include "stress/simulation/subject.hpp"

namespace pto2::simulations {

/// Random task graphs on random devices, each against a sequential interpreter and a counting
/// oracle (stress/graphs).
class GraphSubject final : public Subject {
 public:
  explicit GraphSubject(const Options& options, stress::Launcher launch = stress::launch_on);

  SimulatedRun run(uint64_t seed) override;
  Shrunk shrink(uint64_t seed) override;
  SimulatedRun run_shrunk(uint64_t seed, const std::string& token, std::string& story) override;
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override;

 private:
  /// Schedules that each smaller program is tried under.
  static constexpr uint64_t schedules = 20;

  [[nodiscard]] graphs::Program draw(uint64_t seed) const;
  /// A trial with the fault that the seed draws for it.
  struct FailingTrial {
    graphs::Trial trial;
    DrawnFault fault;
  };
  [[nodiscard]] FailingTrial trial_of(uint64_t seed, graphs::Program program) const;
  [[nodiscard]] SimulatedRun run(const FailingTrial& failing, uint64_t schedule) const;

  Options options_;
  stress::Launcher launch_;
  graphs::Graphs kind_;
};

}  // namespace pto2::simulations
