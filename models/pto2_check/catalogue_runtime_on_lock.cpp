// The whole runtime with the fan-out lock, for the few scenarios that ask for it: the runtime knows
// its fan-out by the concept alone.
#include "core/fan_out_lock.hpp"
#include "models/pto2_check/entry_of.hpp"
#include "models/runtime_scenarios.hpp"

namespace pto2::scenarios {

void add_runtime_on_fan_out_lock(std::vector<Entry>& entries) {
  for_each_of_runtime_explored_on_lock<Model, FanOutLock>("/lock", Collect{&entries});
}

}  // namespace pto2::scenarios
