/// An AI core: a logical thread that runs the kernels it finds in its mailbox.
#pragma once

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "core/block_parts.hpp"
#include "core/core_mailbox.hpp"
#include "runtime/chip/cell_access.hpp"
#include "runtime/chip/chip.hpp"
#include "runtime/chip/kernel_guard.hpp"
#include "runtime/chip/task_arguments.hpp"
#include "runtime/events/event_log.hpp"
#include "runtime/executors/after_step.hpp"
#include "runtime/executors/execution_policy.hpp"
#include "runtime/executors/user_code.hpp"

namespace pto2 {

/// Whose kernel runs, which, and with what.
struct CalledKernel {
  TaskId task = no_task;
  KernelEntry kernel = nullptr;
  TaskArguments arguments;
};

/// What to run.
template <executors::ExecutionPolicy P>
struct TaskCall : CalledKernel {
  /// What the accesses to them count for: that of the slot, which has them, too.
  [[no_unique_address]] CellAccess<P, TaskArguments> access;
};

/// Which part of a block task.
struct BlockPart {
  uint16_t id = 0;
  uint16_t parts = 0;   ///< of the task; 0: it is no block task
  uint32_t params = 0;  ///< arguments of the task, before those of the part
};

/// A core's share of a block task.
template <executors::ExecutionPolicy P>
struct BlockShare {
  static constexpr uint32_t claimed_parts = UINT32_MAX;

  BlockParts<P>* parts = nullptr;   ///< null: it is no block task
  uint32_t pinned = claimed_parts;  ///< the part to be run; claimed_parts: those that it claims
  uint32_t params = 0;              ///< as in BlockPart
};

/// What a dispatch hands to a core. Whole words, for the sake of the copies: see TaskRoute.
template <executors::ExecutionPolicy P>
struct DispatchPayload : TaskCall<P> {
  BlockShare<P> block;
};

/// A kernel after which the run cannot go on: how it failed, its task, and its PTOCall at the end.
/// Plain data, for the fatal latch.
struct KernelFault {
  /// `given_up`: no fault, but the run was given up, and parts of the task may be left.
  enum class Kind : uint8_t { none, misuse, threw, lost, guarded, stuck, starved, given_up };

  /// One is made for each core: nothing is written that need not be.
  KernelFault() { what[0] = '\0'; }
  explicit KernelFault(const GuardFinding& finding) : KernelFault() { set_found(finding); }
  [[nodiscard]] bool is_set() const { return kind != Kind::none; }
  void set_threw(const char* text) { set(Kind::threw, text); }
  void set_given_up() { kind = Kind::given_up; }
  /// Says less if there is no memory for the text.
  [[gnu::noinline]] void set_stuck(const executors::LeftBehind& left) {
    try {
      set(Kind::stuck, left.text().c_str());
    } catch (const std::bad_alloc&) {
      set(Kind::stuck, "has not returned");
    }
  }
  /// By the scheduler of the core, which has not ended the task and does not answer any more.
  void set_lost(const char* core, TaskId had) {
    set(Kind::lost, core);
    task = had;
  }
  void set(Kind how, const char* text) {
    kind = how;
    const std::size_t length = std::min(std::strlen(text), sizeof what - 1);
    std::copy_n(text, length, what);
    what[length] = '\0';
  }
  /// What its guard has found, if that is something.
  void set_found(const GuardFinding& finding) {
    if (finding.kind == GuardFinding::Kind::none) return;
    kind = Kind::guarded;
    found = finding;
  }
  /// After the kernel: whose it is, and whether it is a misuse.
  void complete(TaskId of, const PTOCall& after) {
    task = of;
    call = after;
    if (!is_set() && after.misuse != 0) kind = Kind::misuse;
  }

  Kind kind = Kind::none;
  TaskId task = no_task;
  PTOCall call = {};
  /// Of an exception: the begin of what(), with a zero at its end; empty if it has none. Of a lost
  /// core: its name. Of a stuck kernel: where it was, and for how long.
  char what[240];
  GuardFinding found;  ///< only with Kind::guarded
};

/// The run, to its cores: any of them may give it up, and sees that somebody has.
class GivenUp {
 public:
  virtual void give_up(const KernelFault& fault) = 0;
  [[nodiscard]] virtual bool is_given_up() const = 0;

 protected:
  GivenUp() = default;
  ~GivenUp() = default;
};

/// What a core, or a scheduler as one, counted. Read after the run, and by who ends the process
/// from within the kernel.
struct CoreCounts {
  const CalledKernel* called = nullptr;  ///< the last one begun, there as long as it runs
  uint64_t acks = 0;                     ///< kernels begun, of which `fins` have ended
  uint64_t fins = 0;
  uint64_t claims = 0;        ///< of parts of block tasks
  uint64_t kernel_ticks = 0;  ///< time inside kernels, if timing is on
};

/// Where it is counted what a core runs, or a scheduler as one; and what its calls share, which is
/// at hand where the arguments need not be.
struct CoreBooks {
  const PTORun& run;
  KernelGuard* guard;  ///< null: nothing is guarded
  bool timing;
  CoreCounts& counts;
  EventLog& log;

  /// Whether nobody wants to know more of a kernel than that it has run.
  [[nodiscard]] bool are_plain() const { return guard == nullptr && !timing && !log.enabled(); }
  /// The kernel begins. `call` stays where it is until end().
  void begin(const CalledKernel& call) const {
    counts.called = &call;
    ++counts.acks;
  }
  void end() const { ++counts.fins; }
};

/// Calls run(), which runs the kernel of a task or of a part of one, between its events.
template <executors::ExecutionPolicy P, class Run>
void run_noted(const TaskCall<P>& call, uint16_t part, const CoreBooks& books, Run&& run) {
  books.begin(call);
  record<P>(books.log, EventKind::ack, call.task, 0, part);
  const uint64_t begin = books.timing ? P::now() : 0;
  run();
  if (books.timing) books.counts.kernel_ticks += P::now() - begin;
  books.end();
  record<P>(books.log, EventKind::fin, call.task, 0, part);
}

/// Calls run(kernel, args); an exception that leaves the kernel is noted in `fault`, and so is that
/// it did not return and was left, or lacked memory to wait. An exception that ends its OS thread,
/// as pthread_exit() does, would take a scheduler or cores along and say nothing: it ends as exit()
/// in the middle of a run does (runtime/device/exit_guard.hpp).
template <class Run>
[[gnu::always_inline]] inline void call_kernel(Run&& run, KernelEntry kernel, int64_t* args,
                                               KernelFault& fault) {
  try {
    run(kernel, args);
  } catch (const abi::__forced_unwind&) {
    std::exit(EXIT_FAILURE);
  } catch (const executors::LeftBehind& left) {
    fault.set_stuck(left);
  } catch (const executors::NoMemoryForCall&) {
    fault.set(KernelFault::Kind::starved, "");
  } catch (const std::exception& exception) {
    fault.set_threw(exception.what());
  } catch (...) {
    fault.set_threw("");
  }
}

/// The same under a guard. Apart, because few runs have one.
template <class Run>
[[gnu::noinline]] void call_guarded(Run&& run, TaskId task, KernelEntry kernel, int64_t* args,
                                    KernelGuard& guard, KernelFault& fault) {
  GuardedCall call{&guard, task, kernel, args, {}};
  call_kernel(run, run_guarded, call.as_args(), fault);
  if (!fault.is_set()) fault.set_found(call.found);
}

/// Calls the kernel, under the guard if there is one.
template <executors::ExecutionPolicy P, class Run>
[[gnu::always_inline]] inline void call_kernel(Run&& run, const TaskCall<P>& call, int64_t* args,
                                               KernelGuard* guard, KernelFault& fault) {
  if (guard != nullptr) [[unlikely]]
    return call_guarded(run, call.task, call.kernel, args, *guard, fault);
  call_kernel(run, call.kernel, args, fault);
}

/// Runs the kernel of a task, for run_task().
template <executors::ExecutionPolicy P>
[[gnu::always_inline]] inline void run_whole(const TaskCall<P>& call, const PTORun& run,
                                             KernelGuard* guard, KernelFault& fault) {
  [[maybe_unused]] const auto access = call.access.editing();
  call_kernel<P>(P::run_kernel, call, call.arguments.values(), guard, fault);
  if (!fault.is_set() && !run.has_misuse()) [[likely]]
    return;
  fault.complete(call.task, call.arguments.call());
}
/// The same where the books are plain.
template <executors::ExecutionPolicy P>
[[gnu::always_inline]] inline void run_plainly(const TaskCall<P>& call, const CoreBooks& books,
                                               KernelFault& fault) {
  books.begin(call);
  run_whole<P>(call, books.run, nullptr, fault);
  books.end();
}

/// Runs the kernel of a task. Until it has returned, the arguments are nobody else's. If it misused
/// them, or threw, `fault`, which is not set before, says how.
template <executors::ExecutionPolicy P>
void run_task(const TaskCall<P>& call, const CoreBooks& books, KernelFault& fault) {
  run_noted<P>(call, 0, books, [&] { run_whole<P>(call, books.run, books.guard, fault); });
}

/// The same of a part of a block task, by run_kernel(kernel, args). The parts share the arguments,
/// which stay as they are; each has a copy of the values, with block_dim and block_id behind them.
template <executors::ExecutionPolicy P, class RunKernel>
void run_part(const TaskCall<P>& call, BlockPart part, const CoreBooks& books, KernelFault& fault,
              RunKernel&& run_kernel) {
  run_noted<P>(call, part.id, books, [&] {
    [[maybe_unused]] const auto access = call.access.reading();
    PartArguments own;
    own.task = &call.arguments.call();
    own.call = *own.task;
    own.call.params |= pto_part;
    std::copy_n(call.arguments.values(), part.params, own.args.begin());
    own.args[part.params] = part.parts;
    own.args[part.params + 1] = part.id;
    call_kernel<P>(run_kernel, call, own.for_kernel(), books.guard, fault);
    own.call.params = own.task->params;
    fault.complete(call.task, own.call);
  });
}

template <executors::ExecutionPolicy P>
class AiCore {
 public:
  using Bell = typename P::doorbell;

  /// Before the run: the core's id, where its completions are announced, its own doorbell, what
  /// its calls share with others, its guard or null, and whether the run is given up.
  void connect(CoreId id, Bell scheduler, Bell own, bool timing, const PTORun& run,
               KernelGuard* guard, GivenUp& given_up) {
    run_ = &run;
    guard_ = guard;
    id_ = id;
    scheduler_ = scheduler;
    own_ = own;
    timing_ = timing;
    given_up_ = &given_up;
  }

  /// By the scheduler: hands a task over. As CoreMailbox::dispatch() requires.
  void dispatch(const DispatchPayload<P>& payload) {
    P::chip_step(executors::ChipStep::dispatch);
    mailbox_.dispatch(payload);
    own_.ring();
  }
  /// By the scheduler: tells it to leave. As CoreMailbox::send_exit() requires.
  void send_exit() {
    mailbox_.send_exit();
    own_.ring();
  }
  /// Whether it has acknowledged the exit; a lost core does not, and is not to be waited for.
  [[nodiscard]] bool has_left() const { return mailbox_.has_exited() || is_lost(); }
  [[nodiscard]] bool is_lost() const { return P::is_lost(own_); }
  [[nodiscard]] CoreMailbox<P, DispatchPayload<P>>& mailbox() { return mailbox_; }
  [[nodiscard]] const CoreMailbox<P, DispatchPayload<P>>& mailbox() const { return mailbox_; }
  [[nodiscard]] const CoreCounts& counts() const { return counts_; }
  [[nodiscard]] EventLog& log() { return log_; }

  /// The body of the logical thread: until exit.
  void run() {
    begin();
    CoreCommand command = CoreCommand::none;
    do {
      P::await([&] { return (command = mailbox_.peek()) != CoreCommand::none; });
    } while (obey(command));
  }
  /// The same in steps, one for each ring: whoever has a command for it rings after that, so that
  /// there is no other to look for before the next ring.
  [[nodiscard]] executors::AfterStep step() {
    if (!has_begun_) [[unlikely]]
      begin();
    const CoreCommand command = mailbox_.peek();
    const bool goes_on = command == CoreCommand::none || obey(command);
    return goes_on ? executors::AfterStep::rung : executors::AfterStep::end;
  }

 private:
  void begin() {
    has_begun_ = true;
    is_plain_ = books().are_plain();
    mailbox_.report_ready();
    scheduler_.ring();
    record<P>(log_, EventKind::wait, no_task);
  }
  /// False: it was to leave, and has.
  [[gnu::always_inline]] bool obey(CoreCommand command) {
    if (command == CoreCommand::exit) [[unlikely]] {
      leave();
      return false;
    }
    P::chip_step(executors::ChipStep::take);
    if (is_plain_) [[likely]] {
      execute<true>();
    } else {
      execute_noted();
    }
    return true;
  }
  [[gnu::noinline]] void leave() {
    record<P>(log_, EventKind::exit, no_task);
    mailbox_.acknowledge_exit();
    scheduler_.ring();
  }

  [[nodiscard]] CoreBooks books() { return {*run_, guard_, timing_, counts_, log_}; }

  /// Runs what was dispatched. `is_plain`: as its books are.
  template <bool is_plain>
  [[gnu::always_inline]] void execute() {
    bool has_run = true;
    {
      const auto payload = mailbox_.take();
      P::chip_step(executors::ChipStep::kernel);
      if ((*payload).block.parts != nullptr) [[unlikely]] {
        has_run = run_share(*payload);
      } else if (is_plain) {
        run_plainly<P>(*payload, books(), fault_);
      } else {
        run_task<P>(*payload, books(), fault_);
      }
    }
    report();
    if (!is_plain && has_run) record<P>(log_, EventKind::wait, no_task);
  }
  [[gnu::noinline]] void execute_noted() { execute<false>(); }

  /// The core looks once more: a kernel that was left in a wait may have used up the ring of the
  /// exit.
  [[gnu::noinline]] void fail() {
    if (fault_.kind != KernelFault::Kind::given_up) given_up_->give_up(fault_);
    own_.ring();
  }
  /// After a fault the core does not report the end of the kernel, so that nobody completes the
  /// task, and gets nothing else to run; nor if it left parts of it because the run is given up.
  [[gnu::always_inline]] void report() {
    if (fault_.is_set()) [[unlikely]]
      return fail();
    P::chip_step(executors::ChipStep::finish);
    do {
      mailbox_.finish();
      scheduler_.ring();
    } while (P::answers_again());
  }

  /// The part that is pinned to this core, or parts as long as there are some to be claimed and the
  /// run is not given up. The core looks for itself: all schedulers may share OS threads with cores
  /// that are in here, and have no turn to tell it. False: it has run none.
  [[gnu::noinline]] bool run_share(const DispatchPayload<P>& call) {
    const BlockShare<P> block = call.block;
    bool has_run = false;
    P::run_kernels([&](auto&& run_kernel) {
      BlockPart part{0, static_cast<uint16_t>(block.parts->size()), block.params};
      const auto run = [&](uint32_t id) {
        part.id = static_cast<uint16_t>(id);
        has_run = true;
        run_part<P>(call, part, books(), fault_, run_kernel);
      };
      if (block.pinned != block.claimed_parts) return run(block.pinned);
      while (true) {
        if (given_up_->is_given_up()) return fault_.set_given_up();
        const auto claimed = block.parts->claim();
        if (!claimed) return;
        ++counts_.claims;
        record<P>(log_, EventKind::dispatch, call.task, id_.value, static_cast<uint16_t>(*claimed));
        run(*claimed);
        if (fault_.is_set()) return;
      }
    });
    return has_run;
  }

  CoreMailbox<P, DispatchPayload<P>> mailbox_;
  const PTORun* run_ = nullptr;
  KernelGuard* guard_ = nullptr;
  CoreId id_;
  Bell scheduler_;
  Bell own_;
  GivenUp* given_up_ = nullptr;
  CoreCounts counts_;
  bool timing_ = false;
  bool has_begun_ = false;
  bool is_plain_ = false;  // its books are, from its begin on
  EventLog log_;
  KernelFault fault_;  // of the kernel that was the last
};

}  // namespace pto2
