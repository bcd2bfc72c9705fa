#include <stdexcept>

#include "runtime/include/pto_orchestration_api.h"

/// One argument, which says what is wrong with the configuration. 0: nothing. 1: it throws. 2: it
/// crashes. Else it makes a tensor, whose size it asks for, and says so many arguments.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t* args, int) {
  if (args[0] == 0) return {1};
  if (args[0] == 1) throw std::runtime_error("no configuration");
  if (args[0] == 2) __builtin_trap();
  const uint64_t shape[] = {args[0]};
  return {static_cast<int>(make_tensor(shape, 1).numel()) + 7};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime*, uint64_t*, int) {}
