#include "models/scenarios.hpp"
#include "stress/stress_test.hpp"

namespace pto2::scenarios {

void register_pieces() {
  for_each<executors::Hardware>(Register{});
}

}  // namespace pto2::scenarios
