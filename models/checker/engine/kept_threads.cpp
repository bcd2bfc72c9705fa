// Threads that need not run again, in programs whose threads share nothing but main's atomics.
//
// A thread with the same history as in the run before has ended in the same way. Main ends with
// joining the others; when nothing but joins was seen to follow its first one, it stops there in
// later runs, its frame alive for the others, until its history before the joins changes.
#include <utility>

#include "models/checker/engine/execution.hpp"

namespace pto2::model::engine {

/// Whether a thread has ended with just the events that the graph has of it.
bool Execution::unchanged(const Thread& t) const {
  return t.state == State::finished && graph_->thread_size(t.id) == t.position && t.position > 0 &&
         version_at(*graph_, t.id, t.position) == t.version;
}

/// Whether main stays in its tail; lets it go when it does not.
bool Execution::keep_main() {
  const Thread& main = thread(0);
  if (main.state != State::at_tail) return false;
  if (isolated_ && graph_->thread_size(0) == main.position &&
      version_at(*graph_, main.id, main.position) == tail_.known) {
    return true;
  }
  release_main();
  return false;
}

/// Does what main's spawns would do if it ran again.
void Execution::restart_children() {
  for (std::size_t i = 1; i < threads_.size(); ++i) {
    Thread& child = *threads_[i];
    if (child.kept || graph_->spawn_of(child.id) == no_event) continue;
    make_ready(child);
    ++unfinished_;
  }
}

void Execution::release_main() {
  Thread& main = thread(0);
  if (main.state != State::at_tail) return;
  ++unfinished_;
  unwind(main);
}

/// Main is about to join for the first time in this run. Returns whether it has been let go, which
/// happens when it need not go on.
bool Execution::enter_tail(Thread& t) {
  if (tail_.begin >= 0) return false;
  tail_.begin = t.position;
  tail_.joins_only = true;
  if (!isolated_ || preempts_ || t.position == 0 ||
      version_at(*graph_, t.id, t.position) != tail_.known)
    return false;
  t.state = State::at_tail;
  --unfinished_;
  if (turn_ == t.id) turn_ = -1;
  t.fiber->suspend();
  exceptions_.unwind();
}

/// After a complete execution: whether main's steps after its first join were joins alone. They
/// read nothing, so they follow from the history before.
void Execution::learn_tail() {
  if (!isolated_ || preempts_ || tail_.begin <= 0 || !tail_.joins_only) return;
  for (std::int32_t i = tail_.begin; i < graph_->thread_size(0); ++i) {
    if ((*graph_)[graph_->thread_event(0, i)].kind != Kind::join) return;
  }
  tail_.known = (*graph_)[graph_->thread_event(0, tail_.begin - 1)].version;
}

}  // namespace pto2::model::engine
