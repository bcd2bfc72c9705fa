// How the threads of an execution that does not complete come to their ends.
//
// An exception unwinds each. It cannot pass a frame that is noexcept, nor one without unwind
// tables: the C++ runtime calls std::terminate, whose handler gives the thread's frames up, with
// what they own. A thread that hangs or crashes is given up where it is.
#include <algorithm>
#include <utility>

#include "models/checker/engine/execution.hpp"

namespace pto2::model::engine {

void Execution::unwind_all() {
  // Main last: the others refer to its frame.
  for (std::size_t i = threads_.size(); i-- > 0;) {
    if (threads_[i]->state != State::at_tail) unwind(*threads_[i]);
  }
  // Nobody can delete any more what the frames owned that were given up.
  for (const std::unique_ptr<Thread>& t : threads_) {
    if (t->fiber->given_up()) heap_.give_up(t->id);
  }
}

void Execution::unwind(Thread& t) {
  unwinding_ = true;
  ghost_steps_ = 0;
  while (!t.fiber->parked()) resume(t);
  if (t.fiber->given_up() && t.state != State::finished) {
    t.state = State::finished;
    t.version = 0;
    --unfinished_;
  }
  // The function of a thread that was unwound, or has not begun.
  if (!t.body || thread(0).state == State::at_tail) return;
  const HeapScope program(&heap_);
  dropping_ = true;
  t.body = nullptr;
  dropping_ = false;
}

/// Ends the turn of the running thread for good. May be called by a signal's handler.
void Execution::give_up_running() noexcept {
  if (!unwinding_) {
    stopped_ = true;
    early_ = ExecutionEnd::failed;
  }
  exceptions_.take_back();
  crash_.thread = running_->id;
  running_->fiber->give_up();
}

void Execution::report_crash() {
  Thread& t = thread(crash_.thread);
  // The last turn of a thread that idles leaves no steps.
  t.position = std::min(t.position, graph_->thread_size(t.id));
  const std::source_location site = last_site(t);
  if (crash_.cause == Crash::Cause::hang) {
    std::string message =
        std::string("thread ").append(thread_name(t.id)) + " makes no visible step";
    if (t.position > 0) message += " any more; its last one was at " + to_string(site);
    failure_ = {ViolationKind::livelock, std::move(message), t.id, site};
  } else {
    const bool overflow = crash_.has_address && t.fiber->guards(crash_.address);
    failure_ = {ViolationKind::crash,
                overflow ? "the stack of " + std::to_string(options_.stack_bytes) +
                               " bytes is used up; Options::stack_bytes makes it larger"
                         : to_string(crash_),
                t.id, site};
  }
  crash_ = {};
}

}  // namespace pto2::model::engine
