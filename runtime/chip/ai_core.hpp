/// An AI core: a logical thread that runs the kernels it finds in its mailbox.
#pragma once

#include <algorithm>
#include <array>

#include "core/core_mailbox.hpp"
#include "runtime/chip/task_arguments.hpp"
#include "runtime/events/event_log.hpp"
#include "runtime/executors/execution_policy.hpp"

namespace pto2 {

using KernelEntry = void (*)(int64_t*);

/// Which part of a block task a core runs. Whole words, for the sake of the copies: see TaskRoute.
struct BlockPart {
  uint16_t id = 0;
  uint16_t parts = 0;   ///< of the task; 0: it is no block task
  uint32_t params = 0;  ///< arguments of the task, before those of the part
};
static_assert(sizeof(BlockPart) == 8);

/// What a dispatch hands to a core.
template <executors::ExecutionPolicy P>
struct DispatchPayload {
  TaskId task = no_task;
  KernelEntry kernel = nullptr;
  typename P::template cell<TaskArguments>* arguments = nullptr;
  BlockPart part;
};

/// What a core, or a scheduler as one, counted. Read after the run.
struct CoreCounts {
  uint64_t acks = 0;
  uint64_t fins = 0;
  uint64_t kernel_ticks = 0;  ///< time inside kernels, if timing is on
};

/// Until the kernel has returned, the arguments are nobody else's. The parts of a block task share
/// them, and they stay as they are; each core has a copy of the values, with block_dim and block_id
/// behind them. By value, so that the payload of other tasks stays in registers.
template <executors::ExecutionPolicy P>
[[gnu::noinline]] void run_part(KernelEntry kernel,
                                typename P::template cell<TaskArguments>& task_arguments,
                                BlockPart part) {
  const auto arguments = task_arguments.reading();
  std::array<int64_t, max_params> args;
  std::copy_n(arguments->args.begin(), part.params, args.begin());
  args[part.params] = part.parts;
  args[part.params + 1] = part.id;
  P::run_kernel(kernel, args.data());
}
template <executors::ExecutionPolicy P>
void run_kernel(const DispatchPayload<P>& payload) {
  if (payload.part.parts != 0) [[unlikely]]
    return run_part<P>(payload.kernel, *payload.arguments, payload.part);
  const auto arguments = payload.arguments->editing();
  P::run_kernel(payload.kernel, arguments->args.data());
}

/// Runs the kernel of a task, or of a part of one, on the calling thread, between its events `ack`
/// and `fin`.
template <executors::ExecutionPolicy P>
void run_task(const DispatchPayload<P>& payload, bool timing, CoreCounts& counts, EventLog& log) {
  ++counts.acks;
  record<P>(log, EventKind::ack, payload.task, 0, payload.part.id);
  const uint64_t begin = timing ? P::now() : 0;
  run_kernel(payload);
  if (timing) counts.kernel_ticks += P::now() - begin;
  ++counts.fins;
  record<P>(log, EventKind::fin, payload.task, 0, payload.part.id);
}

template <executors::ExecutionPolicy P>
class AiCore {
 public:
  using Bell = typename P::doorbell;

  /// Before the run: where the core's completions are announced, and its own doorbell.
  void connect(Bell scheduler, Bell own, bool timing) {
    scheduler_ = scheduler;
    own_ = own;
    timing_ = timing;
  }

  [[nodiscard]] CoreMailbox<P, DispatchPayload<P>>& mailbox() { return mailbox_; }
  [[nodiscard]] const CoreMailbox<P, DispatchPayload<P>>& mailbox() const { return mailbox_; }
  [[nodiscard]] const Bell& bell() const { return own_; }
  [[nodiscard]] const CoreCounts& counts() const { return counts_; }
  [[nodiscard]] EventLog& log() { return log_; }

  /// The body of the logical thread: until exit.
  void run() {
    mailbox_.report_ready();
    scheduler_.ring();
    for (;;) {
      CoreCommand command = CoreCommand::none;
      record<P>(log_, EventKind::wait, no_task);
      P::await([&] { return (command = mailbox_.peek()) != CoreCommand::none; });
      if (command == CoreCommand::exit) break;
      execute(mailbox_.take());
    }
    record<P>(log_, EventKind::exit, no_task);
    mailbox_.acknowledge_exit();
    scheduler_.ring();
  }

 private:
  void execute(const DispatchPayload<P>& payload) {
    run_task(payload, timing_, counts_, log_);
    mailbox_.finish();
    scheduler_.ring();
  }

  CoreMailbox<P, DispatchPayload<P>> mailbox_;
  Bell scheduler_;
  Bell own_;
  CoreCounts counts_;
  bool timing_ = false;
  EventLog log_;
};

}  // namespace pto2
