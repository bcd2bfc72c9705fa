#include "tests/support/executors_under_test.hpp"

#include "runtime/executors/sanitizer_switch.hpp"

namespace pto2::test {

constinit FanOutKind fan_out_under_test = FanOutKind::word;

std::vector<ExecutorKind> everywhere() {
  std::vector<ExecutorKind> executors;
  for (const ExecutorRow& row : executor_table()) {
    const bool one_thread = is_simulated(row.executor);
    if (!row.weak_memory && !(PTO2_UNDER_TSAN && one_thread)) executors.push_back(row.executor);
  }
  return executors;
}

uint64_t seeds_of(uint64_t count) {
  if (PTO2_UNDER_TSAN) return count / 100;
#if defined(__SANITIZE_ADDRESS__)
  return count / 4;
#else
  return count;
#endif
}

RunResult launch_on(ExecutorKind executor, DeviceConfig config, const Launch& what, uint64_t seed) {
  config.fan_out = fan_out_under_test;
  return stress::launch_on(executor, config, what, seed);
}

}  // namespace pto2::test
