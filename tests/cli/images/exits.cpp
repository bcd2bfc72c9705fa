#include <pthread.h>

#include <cstdlib>
#include <thread>

#include "runtime/include/pto_orchestration_api.h"

namespace {
enum Where : uint64_t { config, entry, thread, kernel, nobody, thread_of_config };
}

/// Two arguments: who calls exit(), or pthread_exit() as the last of them, and the worker type of
/// the kernel that does.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t* args, int) {
  if (args[0] == config) std::exit(0);
  if (args[0] == thread_of_config) pthread_exit(nullptr);
  return {2};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  if (args[0] == entry) std::exit(0);
  if (args[0] == thread) std::thread([] { std::exit(0); }).join();
  const int32_t exits = 0, returns = 1;
  pto2_rt_submit_task(rt, returns, PTO2_WORKER_CUBE, nullptr, 0);
  pto2_rt_submit_task(rt, exits, static_cast<int32_t>(args[1]), nullptr, 0);
}
