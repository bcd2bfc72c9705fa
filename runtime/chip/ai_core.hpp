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

/// Which part of a block task a core runs.
struct BlockPart {
  uint16_t id = 0;
  uint16_t parts = 0;  ///< of the task; 0: it is no block task
  uint8_t params = 0;  ///< arguments of the task, before those of the part
};

/// What a dispatch hands to a core.
template <executors::ExecutionPolicy P>
struct DispatchPayload {
  TaskId task = no_task;
  KernelEntry kernel = nullptr;
  typename P::template cell<TaskArguments>* arguments = nullptr;
  BlockPart part;
};

/// What a core counted. Read after the run.
struct CoreCounts {
  uint64_t acks = 0;
  uint64_t fins = 0;
  uint64_t kernel_ticks = 0;  ///< time inside kernels, if timing is on
};

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
    const TaskId task = payload.task;
    ++counts_.acks;
    record<P>(log_, EventKind::ack, task, 0, payload.part.id);
    const uint64_t begin = timing_ ? P::now() : 0;
    run_kernel(payload);
    if (timing_) counts_.kernel_ticks += P::now() - begin;
    ++counts_.fins;
    record<P>(log_, EventKind::fin, task, 0, payload.part.id);
    mailbox_.finish();
    scheduler_.ring();
  }

  /// Until the kernel has returned, the arguments are nobody else's.
  void run_kernel(const DispatchPayload<P>& payload) {
    if (payload.part.parts != 0) [[unlikely]]
      return run_part(payload);
    const auto arguments = payload.arguments->editing();
    P::run_kernel(payload.kernel, arguments->args.data());
  }

  /// The parts of a block task share its arguments, which stay as they are; each core has a copy of
  /// the values, with block_dim and block_id behind them.
  [[gnu::noinline]] void run_part(const DispatchPayload<P>& payload) {
    const auto arguments = payload.arguments->reading();
    std::array<int64_t, max_params> args;
    const auto [id, parts, params] = payload.part;
    std::copy_n(arguments->args.begin(), params, args.begin());
    args[params] = parts;
    args[params + 1] = id;
    P::run_kernel(payload.kernel, args.data());
  }

  CoreMailbox<P, DispatchPayload<P>> mailbox_;
  Bell scheduler_;
  Bell own_;
  CoreCounts counts_;
  bool timing_ = false;
  EventLog log_;
};

}  // namespace pto2
