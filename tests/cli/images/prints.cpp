#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "runtime/include/pto_orchestration_api.h"

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  std::printf("configuration prints\n");
  return {0};
}

/// One task. The text of the orchestration waits in a buffer of its own.
extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t*, int) {
  std::ios::sync_with_stdio(false);
  std::cout << "orchestration prints\n";
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
}

/// The kernel, which starts a program that prints, too.
extern "C" void kernel_entry(int64_t*) {
  std::printf("kernel prints\n");
  constexpr char text[] = "kernel writes\n";
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) std::abort();
  if (std::system("echo program prints") != 0) std::abort();
}
