#include "models/runtime_scenarios.hpp"
#include "models/support/built_runtime.hpp"
#include "stress/stress_test.hpp"

namespace pto2::scenarios {

void register_whole_runtime() {
  for_each_of_runtime<executors::Hardware, TaskWord>("/word", Register{});
}

}  // namespace pto2::scenarios
