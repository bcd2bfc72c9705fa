#include "models/runtime_scenarios.hpp"
#include "models/support/built_runtime.hpp"
#include "stress/stressing/scenario_unit.hpp"

namespace pto2::stress {

void add_whole_runtime(Units& units) {
  scenarios::for_each_of_runtime<executors::Hardware, TaskWord>("/word", AddScenario{units});
}

}  // namespace pto2::stress
