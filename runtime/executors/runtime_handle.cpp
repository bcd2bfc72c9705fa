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

/// Nobody is inside of the code of a handle that no run has, so each call is noted as misplaced.
void note(PTO2Runtime* rt, const char* name) {
  (void)static_cast<RuntimeHandle&>(*rt).is_from_orchestration(name);
}

void log_before_the_run(PTO2Runtime* rt, int32_t, const char*, ...) {
  note(rt, "log");
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

/// The same before the run: noted, and does nothing.
template <Name name>
struct Early {
  template <class R, class... A>
  using Pointer = R (*)(PTO2Runtime*, A...);
  template <class R, class... A>
  constexpr operator Pointer<R, A...>() const {
    return [](PTO2Runtime* rt, A...) -> R {
      note(rt, name.text);
      return R();
    };
  }
};

template <template <Name> class Function>
constexpr PTO2RuntimeOps table_of(decltype(PTO2RuntimeOps::log) log) {
  return {
      .abi = PTO2_ORCHESTRATION_ABI,
      .submit_task = Function<"submit_task">(),
      .scope_begin = Function<"scope_begin">(),
      .scope_end = Function<"scope_end">(),
      .orchestration_done = Function<"orchestration_done">(),
      .make_tensor = Function<"make_tensor">(),
      .view = Function<"view">(),
      .reshape = Function<"reshape">(),
      .transpose = Function<"transpose">(),
      .ndims = Function<"ndims">(),
      .numel = Function<"numel">(),
      .is_contiguous = Function<"is_contiguous">(),
      .dump = Function<"dump">(),
      .log = log,
      .describe = Function<"describe">(),
      .allocate_cluster = Function<"allocate_cluster">(),
      .free_cluster = Function<"free_cluster">(),
      .submit_task_clustered = Function<"submit_task_clustered">(),
      .submit_block_task = Function<"submit_block_task">(),
      .fail = Function<"fail">(),
  };
}

constexpr PTO2RuntimeOps ended_table = table_of<Ended>(&log_after_the_end);
constexpr PTO2RuntimeOps early_table = table_of<Early>(&log_before_the_run);

/// More than there are launches side by side, as a rule.
constinit std::array<RuntimeHandle, 64> handles;
constinit Machine::atomic<uint32_t> next_handle{0};
/// Those that were made besides, the last one first. They stay: somebody may keep one.
constinit Machine::atomic<RuntimeHandle*> made_handles{nullptr};

}  // namespace

RuntimeHandle::Owner RuntimeHandle::take_before_run() {
  return take(nullptr, early_table);
}

/// Null: runs have all that there are.
RuntimeHandle* RuntimeHandle::take_ended() {
  for (std::size_t i = 0; i < handles.size(); ++i) {
    RuntimeHandle& next =
        handles[next_handle.fetch_add(1, std::memory_order_relaxed) % handles.size()];
    if (next.try_take()) return &next;
  }
  RuntimeHandle* made = made_handles.load(std::memory_order_acquire);
  while (made != nullptr && !made->try_take()) made = made->next_;
  return made;
}

/// For good.
RuntimeHandle* RuntimeHandle::take_new() {
  auto* const handle = new RuntimeHandle;
  handle->is_taken_.store(true, std::memory_order_relaxed);
  handle->next_ = made_handles.load(std::memory_order_relaxed);
  while (!made_handles.compare_exchange_weak(handle->next_, handle, std::memory_order_release,
                                             std::memory_order_relaxed)) {
  }
  return handle;
}

RuntimeHandle::Owner RuntimeHandle::take(OrchestrationRuntime* target,
                                         const PTO2RuntimeOps& table) {
  RuntimeHandle* handle = take_ended();
  if (handle == nullptr) handle = take_new();
  handle->target_ = target;
  handle->misplaced_.store(nullptr, std::memory_order_relaxed);
  handle->begin(RunKind::plain, table);
  return Owner(handle);
}

void RuntimeHandle::begin(RunKind kind, const PTO2RuntimeOps& table) {
  code_ = kind == RunKind::plain ? &plain_ : kind == RunKind::recorded ? &recorded_ : &replayed_;
  code_->let_calls_in();
  ops = &table;
}

void RuntimeHandle::end() {
  ops = &ended_table;
  target_ = nullptr;
  is_taken_.store(false, std::memory_order_release);
}

bool RuntimeHandle::is_from_orchestration(const char* name) {
  if (code().is_inside()) return true;
  const char* nobody = nullptr;
  code().end_if_forked();
  if (ops == &ended_table) end_process(name);
  misplaced_.compare_exchange_strong(nobody, name, std::memory_order_relaxed,
                                     std::memory_order_relaxed);
  return false;
}

}  // namespace pto2::executors
