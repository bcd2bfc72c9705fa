// The whole runtime, instantiated for the model policy.
#include "core/task_word.hpp"
#include "models/pto2_check/entry_of.hpp"
#include "models/runtime_scenarios.hpp"

namespace pto2::scenarios {

void add_runtime(std::vector<Entry>& entries) {
  for_each_of_runtime<Model, TaskWord>("/word", Collect{&entries});
}

}  // namespace pto2::scenarios
