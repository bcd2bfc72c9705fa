#include "models/scenarios.hpp"
#include "models/seeded/scenario_test.hpp"

namespace pto2::scenarios {

void register_pieces() {
  for_each<Seeded>(Register{});
}

}  // namespace pto2::scenarios
