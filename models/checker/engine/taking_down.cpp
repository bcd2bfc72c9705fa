// How the threads of an execution that does not complete come to their ends.
//
// An exception unwinds each. It cannot pass a frame that is noexcept, nor one without unwind
// tables: the C++ runtime calls std::terminate, whose handler gives the thread's frames up, with
// what they own. A hung thread is given up where it is.
#include <utility>

#include "models/checker/engine/execution.hpp"

namespace pto2::model::engine {

void Execution::unwind_all() {
  // Main last: the others refer to its frame.
  for (std::size_t i = threads_.size(); i-- > 0;) {
    if (threads_[i]->state != State::at_tail) unwind(*threads_[i]);
  }
  settle_given_up();
}

void Execution::unwind(Thread& t) {
  unwinding_ = true;
  ghost_steps_ = 0;
  exceptions_ = {};
  while (!t.fiber->parked()) resume(t);
  if (t.fiber->given_up()) end_given_up(t);
  if (t.body && thread(0).state != State::at_tail) drop_body(t);
}

/// Destroys the function of a thread that was unwound, or has not begun.
void Execution::drop_body(Thread& t) {
  const HeapScope program(&heap_);
  dropping_ = true;
  t.body = nullptr;
  dropping_ = false;
}

/// What `thread_main` does for a thread that comes to its end.
void Execution::end_given_up(Thread& t) {
  gave_up_ = true;
  if (t.state == State::finished) return;
  t.state = State::finished;
  t.version = 0;
  --unfinished_;
}

/// When nobody refers to the frames that were given up any more.
void Execution::settle_given_up() {
  if (!std::exchange(gave_up_, false)) return;
  heap_.note_allocations();
  for (const std::unique_ptr<Thread>& t : threads_) {
    if (!t->fiber->given_up()) continue;
    heap_.give_up(t->id);
    t->fiber->restart();
  }
}

bool Execution::too_much_lost() {
  if (heap_.lost_bytes() <= Heap::most_lost_bytes) return false;
  limit_ = "threads whose execution was cut inside of noexcept functions have left " +
           std::to_string(heap_.lost_bytes() >> 20) +
           " MB behind; with Options::heap_leaks it is freed";
  return true;
}

void Execution::report_hung() {
  Thread& t = *std::exchange(hung_, nullptr);
  failure_ = {ViolationKind::livelock,
              std::string("thread ").append(thread_name(t.id)) +
                  " makes no visible step any more; its last one was at " + to_string(last_site(t)),
              t.id, last_site(t)};
  end_given_up(t);
}

}  // namespace pto2::model::engine
