#include "models/scenarios.hpp"
#include "stress/stressing/scenario_unit.hpp"

namespace pto2::stress {

void add_pieces(Units& units) {
  scenarios::for_each<executors::Hardware>(AddScenario{units});
}

}  // namespace pto2::stress
