/// The scenarios of core, each a few times on OS threads, with atomics that helgrind and DRD can
/// follow. Broken properties and lost wake-ups end the program.
#include <memory>
#include <string>

#include "models/scenarios.hpp"
#include "stress/scenario_loop.hpp"

int main() {
  using namespace pto2::scenarios;
  const auto run = []<class S>(const std::string& name) {
    constexpr uint64_t runs = 2;
    std::make_unique<ScenarioLoop<S>>(name, runs)->run();
  };
  for_each<pto2::executors::Hardware>(run);
}
