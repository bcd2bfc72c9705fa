/// Turns a scenario into a program for the checker.
#pragma once

#include <cstdint>
#include <memory>
#include <pto2/checker.hpp>
#include <string>
#include <vector>

#include "models/pto2_check/catalogue.hpp"
#include "models/support/model_policy.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

/// One doorbell per role, if the scenario idles.
class Bells {
 public:
  Bells(AnyScenario<Model>& scenario, uint32_t threads, bool idles) : by_thread_(threads + 1) {
    std::vector<Model::doorbell> bells(threads);
    for (uint32_t i = 0; idles && i < threads; ++i) {
      owned_.push_back(std::make_unique<ModelBell>(threads + 1));
      bells[i] = Model::doorbell(*owned_.back());
      by_thread_[i + 1] = owned_.back().get();
    }
    scenario.set_bells(bells);
    Model::bells = &by_thread_;
  }

 private:
  std::vector<std::unique_ptr<ModelBell>> owned_;
  std::vector<ModelBell*> by_thread_;
};

inline void run(AnyScenario<Model>& scenario, uint32_t threads, bool idles) {
  const Bells bells(scenario, threads, idles);
  {
    std::vector<model::thread> roles;
    for (uint32_t i = 0; i < threads; ++i) {
      // Made here, not by the vector: reports name the place.
      roles.push_back(
          model::thread([&scenario, i] { scenario.thread(i); }, "role" + std::to_string(i)));
    }
    for (model::thread& role : roles) role.join();
  }
  scenario.finish();
}

/// One execution of S.
template <Scenario S>
void run_once() {
  ScenarioOf<Model, S> scenario;
  run(scenario, S::threads, S::idles);
}

template <Scenario S>
Entry entry_of(const std::string& name) {
  return {name, run_once<S>, expectation_of(name), {S::reaches.begin(), S::reaches.end()}};
}

/// What for_each and its parts call per scenario.
struct Collect {
  std::vector<Entry>* entries;

  template <Scenario S>
  void operator()(const std::string& name) const {
    entries->push_back(entry_of<S>(name));
  }
};

}  // namespace pto2::scenarios
