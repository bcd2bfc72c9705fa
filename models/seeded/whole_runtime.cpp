#include "models/runtime_scenarios.hpp"
#include "models/seeded/scenario_test.hpp"
#include "models/support/built_runtime.hpp"

namespace pto2::scenarios {

void register_whole_runtime() {
  for_each_of_runtime<Seeded, TaskWord>("/word", Register{});
}

}  // namespace pto2::scenarios
