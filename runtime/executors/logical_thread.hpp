/// Logical threads of the hardware policy: orchestrator, schedulers and AI cores.
///
/// Each has a doorbell, one remembered ring (core/doorbell.hpp, core/fiber_host.hpp). A wait is
/// `while (!predicate()) idle()`: whoever stores what the predicate reads rings afterwards, so no
/// wake-up is lost, and a spurious one costs an evaluation.
///
/// What a thread is doing is kept in relaxed atomics besides, for reports (team_state.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "core/doorbell.hpp"
#include "core/fiber_host.hpp"
#include "runtime/executors/fiber.hpp"
#include "runtime/executors/kernel_watch.hpp"
#include "runtime/executors/machine.hpp"
#include "runtime/executors/sanitizer_switch.hpp"
#include "runtime/executors/team_state.hpp"
#include "runtime/executors/thread_pointer.hpp"

namespace pto2::executors {

/// A logical thread, on whichever executor.
class LogicalThread {
 public:
  enum class Kind { os_thread, fiber, stepped };
  LogicalThread(Kind kind, std::string name) : name_(std::move(name)), kind_(kind) {}
  LogicalThread(const LogicalThread&) = delete;
  LogicalThread& operator=(const LogicalThread&) = delete;

  [[gnu::always_inline]] void ring();
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Kind kind() const { return kind_; }

 protected:
  ~LogicalThread() = default;

 private:
  std::string name_;
  Kind kind_;
};

/// A logical thread with an OS thread of its own.
class OsThread final : public LogicalThread {
 public:
  OsThread(std::string name, std::function<void()> body)
      : LogicalThread(Kind::os_thread, std::move(name)), body_(std::move(body)) {}
  /// Runs the body on the calling OS thread, whose waits are this thread's from now on.
  void run();
  void ring_os_thread() { bell_.ring(); }
  void idle();

  /// Around a kernel.
  void detach() {
    kernels_.count();
    show(Activity::in_kernel);
  }
  void attach() { show(Activity::running); }
  /// Inside a kernel: returns once the thread was rung.
  void wait_in_kernel();
  void count_kernel() { kernels_.count_next(); }
  [[nodiscard]] const Turn& turn() const { return kernels_.turn(); }

  /// For reports.
  void show(Activity activity) { activity_.store(activity, std::memory_order_relaxed); }
  [[nodiscard]] ThreadState state() const;
  [[nodiscard]] KernelState kernel() const {
    return kernels_.state(activity_.load(std::memory_order_relaxed) == Activity::in_kernel,
                          &name());
  }

 private:
  std::function<void()> body_;
  Doorbell<Machine> bell_;
  KernelCount kernels_;
  alignas(64) Machine::atomic<Activity> activity_{Activity::not_begun};
};

/// The host that the OS thread is, or null; host_of_thread(): the one that runs now.
extern constinit thread_local FiberHost<Machine>* volatile this_host;
#if PTO2_HAS_SEGMENTS
extern const ThreadPointer<FiberHost<Machine>> host_pointer;
[[nodiscard, gnu::always_inline]] inline FiberHost<Machine>* host_of_thread() {
  return host_pointer.get();
}
#else
[[nodiscard]] FiberHost<Machine>* host_of_thread();
#endif

/// A logical thread of the packed executor.
class HostedThread : public LogicalThread, public HostedFiber<Machine> {
 public:
  /// What its host does when it is its turn.
  enum class Next : uint8_t {
    step,
    resume,
    go_back,  ///< to where its kernel waits
    nothing,  ///< it has ended
  };

  HostedThread(Kind kind, uint32_t number, std::string name, Next first)
      : LogicalThread(kind, std::move(name)), HostedFiber(number), next_(first) {}

  [[gnu::always_inline]] void ring_hosted() {
    tsan_publish(this);
    const TsanHostScope as_host;
    HostedFiber::ring(host_of_thread());
  }
  /// The same from inside a kernel, or from no logical thread.
  void ring_from_outside();
  /// Around the run of its team, of whoever runs that.
  void publish_start() { tsan_publish(this); }
  void observe_end() { tsan_observe(&next_); }
  /// By its host, and for reports.
  [[nodiscard]] Next next() const { return next_.load(std::memory_order_relaxed); }
  void set_next(Next next) { next_.store(next, std::memory_order_relaxed); }
  [[nodiscard]] bool has_ended() const { return next() == Next::nothing; }

 protected:
  ~HostedThread() = default;
  /// On the thread: what whoever rang it did before happens before what follows.
  void observe_rings() { tsan_observe(this); }
  void publish_end() { tsan_publish(&next_); }

 private:
  Machine::atomic<Next> next_;
};

/// One with a stack of its own, a fiber.
class FiberThread final : public HostedThread {
 public:
  FiberThread(uint32_t number, std::string name, std::size_t stack_bytes,
              std::function<void()> body)
      : HostedThread(Kind::fiber, number, std::move(name), Next::resume),
        fiber_(
            stack_bytes,
            [this, body = std::move(body)] {
              observe_rings();
              // The first start is no return from idle(): a ring that came before is still due. The
              // host cannot tell whether one did, so the start counts as a ring.
              ring_hosted();
              body();
              publish_end();
            },
            Fiber::Kind::logical_thread) {}

  /// Its own: returns once it runs again.
  void suspend() {
    fiber_.suspend();
    observe_rings();
  }
  /// By its host: runs it until it waits. Whether it has ended thereby.
  [[nodiscard]] bool resume() {
    fiber_.resume();
    return fiber_.finished();
  }

  /// Its own, before it suspends itself, runnable: so many times its host leaves it aside.
  void rest(uint32_t times) { rest_ = times; }
  /// By its host: whether it is to be left aside, which counts.
  [[nodiscard]] bool rests() {
    if (rest_ == 0) [[likely]]
      return false;
    --rest_;
    return true;
  }

 private:
  Fiber fiber_;
  uint32_t rest_ = 0;
};

inline void LogicalThread::ring() {
  if (kind_ == Kind::os_thread) {
    static_cast<OsThread*>(this)->ring_os_thread();
  } else {
    static_cast<HostedThread*>(this)->ring_hosted();
  }
}

/// The logical thread that the calling OS thread runs; null: none, or one of a simulation.
[[nodiscard]] const LogicalThread* this_logical_thread();

/// Name of the logical thread that the calling OS thread runs, of a simulation, too; empty: none.
[[nodiscard]] std::string running_thread();

/// Returns once the calling logical thread was rung since the last return.
void idle();

/// Lets other logical threads of the same host go first, and returns. No wait: the caller bounds
/// how often it polls, by the calling thread's polling_rounds(), before it calls idle(). A ring
/// that was remembered may be used up by it: the caller looks at everything again before idle().
void yield();

/// The same for a caller who has enough done for now. False: there is nobody else to go first.
bool give_way();

/// Rounds of polling that pay off before idle(): many where the partner runs on another CPU, none
/// where it needs this one.
[[nodiscard]] uint32_t polling_rounds();

/// How many logical threads of a group can run at the same time: those of a host take turns, unless
/// another host has nothing to do.
[[nodiscard]] uint32_t parallelism();

/// Runs `section`, which may take long, waits for no logical thread and rings none: kernels.
/// What it throws goes on to the caller.
void detached(void (*section)(int64_t*), int64_t* argument);

/// The same of a kernel, which can be left (user_code.hpp), by a thread of no host. Throws
/// LeftBehind then. Others: run_kernel() (kernel_call.hpp).
void run_kernel_unhosted(void (*kernel)(int64_t*), int64_t* args);
/// The same of the next kernel of several inside of a section.
void run_next_kernel(void (*kernel)(int64_t*), int64_t* args);

/// A logical thread whose kernels wait for others; null: one that is not known yet. What it was
/// rung for meanwhile it looks at when the kernel is over.
class KernelWaiter {
 public:
  explicit KernelWaiter(LogicalThread* thread) : thread_(thread) {}
  /// Inside of a kernel of that thread: lets others run until it was rung; the kernel goes on on
  /// the same OS thread.
  void wait() const;
  /// Inside of the same: of the OS thread, which need not be that of the thread's next kernel.
  [[nodiscard]] const Turn& turn() const;
  /// From inside of any kernel, or from no logical thread.
  void ring() const;

 private:
  LogicalThread* thread_;
};

}  // namespace pto2::executors
