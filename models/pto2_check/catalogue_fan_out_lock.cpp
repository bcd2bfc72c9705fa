#include "models/pto2_check/entry_of.hpp"
#include "models/scenarios.hpp"

namespace pto2::scenarios {

void add_on_fan_out_lock(std::vector<Entry>& entries) {
  for_each_explored_on_lock<Model, FanOutLock>("/lock", Collect{&entries});
}

}  // namespace pto2::scenarios
