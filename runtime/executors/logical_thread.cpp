#include "runtime/executors/logical_thread.hpp"

#include <sched.h>

#include "runtime/executors/kernel_call.hpp"
#include "runtime/executors/packed_host.hpp"
#include "runtime/executors/pause.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/signal_stack.hpp"
#include "runtime/executors/team.hpp"

namespace pto2::executors {

namespace {

thread_local OsThread* this_os_thread = nullptr;

/// Looks before sleeping. The partner needs a few hundred nanoseconds where it runs on another
/// CPU; where it does not, looking longer only delays it.
constexpr int looks_before_sleep = 100;

}  // namespace

void OsThread::run() {
  const SignalStack handlers;
  kernels_.begin();
  this_os_thread = this;
  show(Activity::running);
  body_();
  show(Activity::finished);
}

ThreadState OsThread::state() const {
  return {.name = name(),
          .activity = activity_.load(std::memory_order_relaxed),
          .rung = bell_.is_rung()};
}

void OsThread::idle() {
  for (int i = 0; i < looks_before_sleep && !bell_.is_rung(); ++i) pause();
  while (!bell_.take()) {
    show(Activity::waiting);
    bell_.sleep();
  }
  show(Activity::running);
}

void HostedThread::ring_from_outside() {
  tsan_publish(this);
  const TsanHostScope as_host;
  HostedFiber::ring_from_outside();
}

void OsThread::wait_in_kernel() {
  attach();
  {
    const OtherFiber nobody;
    idle();
  }
  detach();
}

const LogicalThread* this_logical_thread() {
  if (const PackedHost* const host = current_host()) return host->current();
  return this_os_thread;
}

void KernelWaiter::wait() const {
  if (thread_->kind() == LogicalThread::Kind::os_thread) {
    static_cast<OsThread*>(thread_)->wait_in_kernel();
  } else {
    current_host()->wait_in_kernel();
  }
}

const Turn& KernelWaiter::turn() const {
  const bool is_hosted = thread_->kind() != LogicalThread::Kind::os_thread;
  return is_hosted ? current_host()->turn() : static_cast<OsThread*>(thread_)->turn();
}

void KernelWaiter::ring() const {
  if (thread_->kind() == LogicalThread::Kind::os_thread) {
    static_cast<OsThread*>(thread_)->ring_os_thread();
  } else {
    static_cast<HostedThread*>(thread_)->ring_from_outside();
  }
}

std::string running_thread() {
  if (const SeededTeam* const simulated = SeededTeam::current()) return simulated->running_name();
  const LogicalThread* const thread = this_logical_thread();
  return thread == nullptr ? std::string() : thread->name();
}

void idle() {
  if (PackedHost* host = current_host()) {
    host->suspend();
  } else {
    this_os_thread->idle();
  }
}

void yield() {
  if (PackedHost* host = current_host()) {
    host->yield();
  } else {
    pause();
  }
}

bool give_way() {
  PackedHost* const host = current_host();
  return host != nullptr && host->give_way();
}

uint32_t polling_rounds() {
  const PackedHost* host = current_host();
  return host != nullptr ? host->polling_rounds() : 0;
}

uint32_t parallelism() {
  return current_host() != nullptr ? 1 : UINT32_MAX;
}

namespace {

/// Around a kernel that is not the first of its section.
template <class Thread>
struct Further {
  explicit Further(Thread& thread) { thread.count_kernel(); }
};

}  // namespace

void detached(void (*section)(int64_t*), int64_t* argument) {
  if (PackedHost* host = current_host()) {
    const Detached<PackedHost> kernel(*host);
    section(argument);
  } else if (OsThread* const thread = this_os_thread) {
    const Detached<OsThread> kernel(*thread);
    section(argument);
  } else {
    section(argument);
  }
}

void run_kernel_unhosted(void (*kernel)(int64_t*), int64_t* args) {
  if (OsThread* const thread = this_os_thread) {
    call_leavable<Detached<OsThread>>(kernel, args, thread->turn(), *thread);
  } else {
    kernel(args);
  }
}

void run_next_kernel(void (*kernel)(int64_t*), int64_t* args) {
  if (PackedHost* const host = current_host()) {
    call_leavable<Further<PackedHost>>(kernel, args, host->turn(), *host);
  } else if (OsThread* const thread = this_os_thread) {
    call_leavable<Further<OsThread>>(kernel, args, thread->turn(), *thread);
  } else {
    kernel(args);
  }
}

void spin_turn(uint32_t turn) {
  if (turn % 64 == 63) {
    sched_yield();
  } else {
    pause();
  }
}

}  // namespace pto2::executors
