#include "runtime/executors/runtime_handle.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "runtime/output/exit_codes.hpp"

namespace pto2::executors {

namespace {

[[noreturn]] void end_process(const char* name) {
  std::fprintf(stderr,
               "FATAL: %s() was called after the end of the run\n"
               "a PTO2Runtime and its tensors are of use only until aicpu_orchestration_entry "
               "returns: join the threads that it has started, and keep none of them\n",
               name);
  std::fflush(nullptr);
  _exit(cli::exit_runtime_fault);
}

[[noreturn]] void log_after_the_end(PTO2Runtime*, int32_t, const char*, ...) {
  end_process("log");
}

struct Name {
  template <std::size_t n>
  constexpr Name(const char (&name)[n]) {
    std::copy_n(name, n, text);
  }
  char text[32] = {};
};

/// Any function, called so.
template <Name name>
struct Ended {
  template <class R, class... A>
  using Pointer = R (*)(A...);
  template <class R, class... A>
  constexpr operator Pointer<R, A...>() const {
    return [](A...) -> R { end_process(name.text); };
  }
};

constexpr PTO2RuntimeOps ended_table{
    .abi = PTO2_ORCHESTRATION_ABI,
    .submit_task = Ended<"submit_task">(),
    .scope_begin = Ended<"scope_begin">(),
    .scope_end = Ended<"scope_end">(),
    .orchestration_done = Ended<"orchestration_done">(),
    .make_tensor = Ended<"make_tensor">(),
    .view = Ended<"view">(),
    .reshape = Ended<"reshape">(),
    .transpose = Ended<"transpose">(),
    .ndims = Ended<"ndims">(),
    .numel = Ended<"numel">(),
    .is_contiguous = Ended<"is_contiguous">(),
    .dump = Ended<"dump">(),
    .log = &log_after_the_end,
    .describe = Ended<"describe">(),
    .allocate_cluster = Ended<"allocate_cluster">(),
    .free_cluster = Ended<"free_cluster">(),
    .submit_task_clustered = Ended<"submit_task_clustered">(),
    .submit_block_task = Ended<"submit_block_task">(),
    .fail = Ended<"fail">(),
};

/// More than there are launches side by side, as a rule.
constinit std::array<RuntimeHandle, 64> handles;
constinit Machine::atomic<uint32_t> next_handle{0};

}  // namespace

RuntimeHandle::Owner RuntimeHandle::take(OrchestrationRuntime& target,
                                         const PTO2RuntimeOps& table) {
  RuntimeHandle* handle = nullptr;
  for (std::size_t i = 0; i < handles.size() && handle == nullptr; ++i) {
    RuntimeHandle& next =
        handles[next_handle.fetch_add(1, std::memory_order_relaxed) % handles.size()];
    if (!next.is_taken_.exchange(true, std::memory_order_acquire)) handle = &next;
  }
  if (handle == nullptr) handle = new RuntimeHandle;  // for good: somebody may keep it
  handle->target_ = &target;
  handle->misplaced_.store(nullptr, std::memory_order_relaxed);
  handle->ops = &table;
  return Owner(handle);
}

void RuntimeHandle::end() {
  ops = &ended_table;
  target_ = nullptr;
  is_taken_.store(false, std::memory_order_release);
}

void RuntimeHandle::refuse(const char* name) {
  const char* nobody = nullptr;
  if (ops == &ended_table) end_process(name);
  misplaced_.compare_exchange_strong(nobody, name, std::memory_order_relaxed,
                                     std::memory_order_relaxed);
}

}  // namespace pto2::executors
