// Waiting: predicates, assumptions, and what it means that nobody can go on.
#include <algorithm>
#include <exception>
#include <utility>

#include "models/checker/engine/coherence.hpp"
#include "models/checker/engine/execution.hpp"

namespace pto2::model::engine {

namespace {

/// Whether there was a newer write for it already when the read got its value.
bool added_stale(const EventGraph& graph, EventId read) {
  const Event& event = graph[read];
  const EventId source = event.rf;
  const EventId since = std::max(read, source);
  for (EventId w = graph.mo_next(source); w != no_event; w = graph.mo_next(w)) {
    if (w < since && graph.admissible(event.thread, event.index, w)) return true;
  }
  return false;
}

/// Whether an update that has not been made yet would change what it reads. One of a write that has
/// been updated already cannot come to pass.
bool would_change(const EventGraph& graph, EventId read) {
  const EventId source = graph[read].rf;
  const Value& value = graph.value_of(source);
  return graph.update_of(source) == no_event && graph.update(read).result(value) != value;
}

/// Whether one of the objects `begin` to `end` is alive behind the evaluation that has created
/// them: the next one makes them again. `slot(i)`: that of object i.
template <class Slot>
std::optional<Fault> find_kept(const Memory& memory, std::int32_t begin, std::int32_t end,
                               const Slot& slot) {
  for (std::int32_t i = begin; i < end; ++i) {
    const Object& object = memory.object(slot(static_cast<std::size_t>(i)));
    if (!object.alive) continue;
    return Fault{ViolationKind::misuse,
                 "the predicate of a wait has created an object at " +
                     to_string(object.created.site) +
                     " that outlives it, and then did not hold; create it before",
                 object.created};
  }
  return {};
}

/// An update of the thread's steps `begin` to `end`. One that changes nothing is not made if it is
/// the predicate's last step, or is made at once where it is outside of a wait. Behind one that has
/// been made others may make steps, or be woken by it, and that cannot be taken back; nor can it be
/// left out, once others have updated what it reads.
std::optional<Fault> find_made_update(const EventGraph& graph, ThreadId thread, std::int32_t begin,
                                      std::int32_t end) {
  for (std::int32_t i = begin; i < end; ++i) {
    const Event& event = graph[graph.thread_event(thread, i)];
    if (event.kind != Kind::rmw_write) continue;
    return Fault{ViolationKind::misuse,
                 "the predicate of a wait has gone on behind its update at " +
                     to_string(event.site) + " and then did not hold; let it end with the update",
                 {}};
  }
  return {};
}

/// Whether nobody else has made a step since the thread made its step `index`, or would make it.
bool is_on_top(const EventGraph& graph, ThreadId thread, std::int32_t index) {
  const std::int32_t steps = graph.thread_size(thread) - index;
  return steps == 0 || graph.thread_event(thread, index) == graph.size() - steps;
}

/// Takes the thread's steps from `index` on out of the graph. Returns false when they are not the
/// newest ones: what others did meanwhile would go with them, and those threads are past it.
[[nodiscard]] bool take_back(EventGraph& graph, ThreadId thread, std::int32_t index) {
  if (!is_on_top(graph, thread, index)) return false;
  while (graph.thread_size(thread) > index) graph.pop();
  return true;
}

constexpr const char* others_lost =
    "internal error: a wait that failed takes back what others have done";

}  // namespace

void Execution::block(Thread& t, Waiting how, const std::source_location& site) {
  t.state = State::waiting;
  t.waiting = how;
  t.wait_site = site;
  if (turn_ == t.id) turn_ = -1;
  forced_turn_ = false;
  do {
    t.fiber->suspend();
    if (unwinding_) exceptions_.unwind();
  } while (t.state == State::waiting);
}

void Execution::begin_wait(const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  fail_if(t.evaluation.refuse_wait(), site);
  if (t.pending) commit_pending(t);
  leave_loop(t);
  t.in_predicate = true;
  t.evaluation.begin();
  t.created.begin_predicate();
  t.wait_site = site;
  // Later evaluations of the same wait find reads recorded that belong to this run.
  if (t.position == t.wait_begin && t.trying_read != no_event) return;
  t.wait_begin = t.position;
  t.given = t.tried = graph_->thread_size(t.id) - t.position;
  t.evaluation.had_effects = false;
}

/// The predicate does more than look. What it does cannot be undone, so it is not tried on other
/// values; a trial that comes here ends the run, and the graph as it was before is run again.
void Execution::note_effect(Thread& t) {
  leave_loop(t);
  if (!t.in_predicate || unwinding_) return;
  t.evaluation.had_effects = true;
  if (drop_doubtful(t)) prune(t);
}

/// Whether the evaluation of a predicate may be of no execution: the model may forbid the values
/// that it is tried on, and an update that has not been made yet may be of a write that another one
/// has updated.
bool Execution::in_doubt(const Thread& t) const {
  if (!t.in_predicate) return false;
  if (t.trying_read != no_event) return true;
  if (!t.pending) return false;
  const EventId read = graph_->thread_event(t.id, t.position - 1);
  return graph_->update_of((*graph_)[read].rf) != no_event;
}

/// What comes of such an evaluation is found from other graphs. Returns whether it is one; the run
/// is to end then.
bool Execution::drop_doubtful(Thread& t) {
  if (unwinding_ || !in_doubt(t)) return false;
  if (t.trying_read != no_event) {
    with_effects_.push_back(t.wait_site);
    while (graph_->thread_size(t.id) > t.wait_begin + t.given) graph_->pop();
    search_->run_again();
  } else {
    search_->add_conflicting_update(*graph_, graph_->thread_event(t.id, t.position - 1));
  }
  return true;
}

/// Nobody would see what a predicate that does not hold has written: its reads are taken back. What
/// it has left in a cell would tell how often it was evaluated. `end`: behind this position is no
/// step but an update that it may end with.
void Execution::refuse_effects(Thread& t, std::int32_t end) {
  const auto refuse = [&](const std::source_location& site) {
    fail(ViolationKind::misuse,
         "the predicate of a wait has written at " + to_string(site) +
             " and then did not hold; wait for what it needs, and write afterwards",
         site);
  };
  const bool is_unmade = std::exchange(t.pending, false) &&
                         would_change(*graph_, graph_->thread_event(t.id, t.position - 1));
  const std::int32_t unmade = is_unmade ? t.position - 1 : -1;
  for (std::int32_t i = t.wait_begin; i < t.position; ++i) {
    const Event& event = (*graph_)[graph_->thread_event(t.id, i)];
    if (event.kind == Kind::spawn || event.kind == Kind::join) {
      const bool starts = event.kind == Kind::spawn;
      fail(ViolationKind::misuse,
           std::string("the predicate of a wait has ") + (starts ? "started" : "joined") +
               " a thread at " + to_string(event.site) + " and then did not hold; " +
               (starts ? "start" : "join") + " it before",
           event.site);
    }
    const bool changes =
        i == unmade || event.kind == Kind::write ||
        (event.kind == Kind::rmw_write && event.value != graph_->value_of(event.rf));
    if (changes) refuse(event.site);
  }
  if (t.evaluation.written_cell) refuse(*t.evaluation.written_cell);
  fail_if(find_made_update(*graph_, t.id, t.wait_begin, end), t.wait_site);
  const auto atomic = [&](std::size_t i) { return slots_[static_cast<std::size_t>(t.atomics[i])]; };
  const auto cell = [&](std::size_t i) { return t.cells[i]; };
  const Created& created = t.created;
  fail_if(find_kept(memory_, created.atomics_before, created.atomics, atomic), t.wait_site);
  fail_if(find_kept(memory_, created.cells_before, created.cells, cell), t.wait_site);
}

bool Execution::end_wait(bool satisfied) {
  if (unwinding_) {
    // Nobody will come and change anything. Inside of a destructor there is no way but on.
    if (satisfied || std::uncaught_exceptions() != 0) return true;
    exceptions_.unwind();
  }
  Thread& t = *running_;
  t.in_predicate = t.evaluation.goes_on = false;
  if (t.idling.until_end && t.idling.makes_last_turn) {
    t.idling.until_end = t.pending = false;
    return true;
  }
  if (drop_fruitless_choices(t, satisfied)) return false;
  if (satisfied) {
    t.insists = t.last_resort = t.idling.until_end = false;
    if (t.pending) commit_pending(t);
    return true;
  }
  refuse_effects(t, t.position);
  t.created.take_back();
  if (recorded(t)) {
    fail(ViolationKind::nondeterminism, "a predicate that held does not hold when replayed",
         t.wait_site);
  }
  // What it has read of cells is a race if others write them, who may come behind what makes it
  // hold: so a search keeps its reads in the graph. A walk goes on as if it had not been evaluated.
  if (t.evaluation.reads_cells && search_->keeps_failed_predicates()) {
    block(t, Waiting::predicate, t.wait_site);
  } else {
    if (t.evaluation.reads_cells) memory_.take_back_reads(t.id, t.wait_begin);
    fail_wait(t);
  }
  return false;
}

/// What the thread has done since `wait_begin` has led nowhere. Returns when it is to be done
/// again. An evaluation of a predicate is on top of the graph, where it can be taken back: nobody
/// else makes a step before it has ended, unless it has done what is refused above. Several turns
/// of a loop that spins may have steps of others in between; these turns stay.
void Execution::fail_wait(Thread& t) {
  const std::int32_t own = t.wait_begin + t.given;
  const bool stays = spins(t) && !is_on_top(*graph_, t.id, own);
  if (spins(t) && search_->goes_on(*graph_, t.id)) {
    t.wait_begin = t.position;
    return;
  }
  if (!search_->keeps_failed_predicates()) return try_later(t, stays);
  const bool postpones = !t.last_resort && !search_->preempts() && !stays;
  if (postpones && t.position > own) return postpone(t);
  if (wait_again(t) || hold_back(t)) return;
  block(t, Waiting::predicate, t.wait_site);
}

/// Whether the predicate can be tried with another value at once. A predicate whose last read was
/// not of the newest write leads nowhere: no later write revisits that read, nor one before it.
bool Execution::wait_again(Thread& t) {
  if (t.position == t.wait_begin) return false;
  const EventId last = graph_->thread_event(t.id, t.position - 1);
  if (!is_read((*graph_)[last].kind) || !added_stale(*graph_, last)) return false;
  if (last == graph_->size() - 1 && search_->retry(*graph_, last)) {
    t.position = t.wait_begin;
    if (graph_->stores(last)) first_ = t.id;
    return true;
  }
  if (search_->preempts()) return false;  // a script goes on with the others
  prune(t);
}

/// Goes on in the graph without the last read of the predicate, if the search wants that. The
/// thread will wait in front of it.
bool Execution::hold_back(Thread& t) {
  if (t.position == t.wait_begin) return false;
  const EventId read = graph_->thread_event(t.id, t.position - 1);
  EventGraph* const without = search_->hold_back(*graph_, read);
  if (without == nullptr) return false;
  graph_ = without;
  t.position = t.wait_begin;
  first_ = -1;
  return true;
}

/// Ends the run: what comes of this graph is found from others.
void Execution::prune(Thread& t) {
  early_ = ExecutionEnd::pruned;
  stopped_ = true;
  leave(t);
}

/// In front of a read that was held back. Returns whether only values other than the newest are
/// for it, and nobody else can go on.
bool Execution::wait_for_admissible(Thread& t, LocationId location) {
  while (!graph_->admissible(t.id, t.position, graph_->last_write(location))) {
    if (std::exchange(t.last_resort, false)) return true;
    t.watched = location;
    ++postponed_;
    block(t, Waiting::held, t.wait_site);
    take_turn(t);
  }
  return false;
}

/// A walk takes the failed evaluation back. It comes again with the newest values, and when these
/// did not help, after somebody has made a step. With `stays` the thread goes on behind what it has
/// done: that a loop has made such turns is an execution, too.
void Execution::try_later(Thread& t, bool stays) {
  const bool newest = reads_newest(t);
  if (stays) {
    t.wait_begin = t.position;
  } else {
    if (!take_back(*graph_, t.id, t.wait_begin)) stop(others_lost);
    t.position = t.wait_begin;
  }
  search_->newest_only = false;
  t.insists = true;
  if (newest) {
    block(t, Waiting::predicate, t.wait_site);
  } else {
    turn_ = next_thread();
  }
}

void Execution::wake_waiting() {
  const Event& event = (*graph_)[graph_->size() - 1];
  if (!is_write(event.kind) || search_->keeps_failed_predicates()) return;
  running_->insists = false;
  for (const std::unique_ptr<Thread>& t : threads_) {
    if (t->state != State::waiting || t->waiting == Waiting::assumption) continue;
    make_ready(*t);
    t->insists = false;
  }
}

/// A predicate that the newest values do not satisfy is no step yet: the thread comes again when
/// somebody has written what it reads. Which thread makes the next step remains a function of the
/// graph alone, which is all that the search asks for; and most blocked graphs never come up.
void Execution::postpone(Thread& t) {
  t.watched = -1;
  const std::int32_t own = t.wait_begin + t.given;
  for (std::int32_t i = own; i < t.position; ++i) {
    const LocationId location = (*graph_)[graph_->thread_event(t.id, i)].location;
    t.watched = i == own || t.watched == location ? location : -1;
  }
  if (!take_back(*graph_, t.id, own)) stop(others_lost);
  t.position = t.wait_begin;
  ++postponed_;
  block(t, Waiting::postponed, t.wait_site);
}

void Execution::wake_postponed(Thread& writer) {
  const Event& event = (*graph_)[graph_->size() - 1];
  if (postponed_ == 0 || !is_write(event.kind)) return;
  for (const std::unique_ptr<Thread>& t : threads_) {
    if (t->state != State::waiting) continue;
    if (t->waiting != Waiting::postponed && t->waiting != Waiting::held) continue;
    if (t->watched >= 0 && t->watched != event.location) continue;
    make_ready(*t);
    --postponed_;
    if (t->id < writer.id) turn_ = -1;
  }
}

/// When nobody else can go on, a postponed predicate is evaluated for good: on stale values, and
/// as a step to be revisited.
ThreadId Execution::wake_last_resort() {
  const auto may_come_again = [this](const Thread& t) {
    bool may = false;
    for_each_readable(*graph_, t.watched, clock(t), [&](EventId write) {
      may |= graph_->admissible(t.id, t.position, write);
      return !may;
    });
    return may;
  };
  for (const std::unique_ptr<Thread>& t : threads_) {
    if (t->state != State::waiting) continue;
    if (t->waiting != Waiting::postponed && !(t->waiting == Waiting::held && may_come_again(*t))) {
      continue;
    }
    make_ready(*t);
    --postponed_;
    t->last_resort = true;
    return t->id;
  }
  return -1;
}

/// The next read of a predicate that has other values to try; no_event when there is none.
EventId Execution::next_to_try(Thread& t) {
  const std::int32_t all = static_cast<std::int32_t>(graph_->choices().size());
  for (; t.wait_begin + t.tried < t.position; ++t.tried) {
    const EventId event = graph_->thread_event(t.id, t.wait_begin + t.tried);
    const bool last = event == graph_->size() - 1;
    const std::int32_t end = last ? all : (*graph_)[event + 1].choices;
    if (is_read((*graph_)[event].kind) && (*graph_)[event].choices < end) return event;
  }
  return no_event;
}

/// Tries a new predicate on the other values that its reads may have, so that those which do not
/// satisfy it need no run of their own. Returns whether to evaluate it once more; the last
/// evaluation is on the newest values again.
bool Execution::drop_fruitless_choices(Thread& t, bool satisfied) {
  const auto is_here = [&](const std::source_location& site) {
    return site.line() == t.wait_site.line() && site.file_name() == t.wait_site.file_name();
  };
  if (search_->preempts() || t.evaluation.had_effects) return false;
  if (std::any_of(with_effects_.begin(), with_effects_.end(), is_here)) return false;
  std::vector<Choice>& choices = graph_->choices();
  EventId read = t.trying_read;
  if (read == no_event) {
    if (!satisfied && !t.last_resort) return false;
    read = next_to_try(t);
    if (read == no_event) return false;
    while (graph_->size() - 1 > read) graph_->pop();
    t.trying_read = read;
    t.trying = (*graph_)[read].choices;
  } else if (satisfied || graph_->size() - 1 > read || (t.pending && would_change(*graph_, read))) {
    choices[static_cast<std::size_t>(t.trying)].holds = satisfied && graph_->size() - 1 == read;
    ++t.trying;
  } else {
    choices.erase(choices.begin() + t.trying);
  }
  while (graph_->size() - 1 > read) graph_->pop();
  Choice choice{Choice::Kind::read_from, graph_->last_write((*graph_)[read].location)};
  if (t.trying == static_cast<std::int32_t>(choices.size())) {
    t.trying_read = no_event;
    ++t.tried;
  } else {
    choice = choices[static_cast<std::size_t>(t.trying)];
  }
  if ((*graph_)[read].kind == Kind::rmw_read) {
    graph_->set_update_reads_from(read, choice.target,
                                  choice.kind == Choice::Kind::fail_spuriously);
  } else {
    graph_->set_reads_from(read, choice.target, (*graph_)[read].order);
  }
  t.pending = false;
  t.position = t.wait_begin;
  return true;
}

bool Execution::reads_newest(const Thread& t) const {
  for (std::int32_t i = t.wait_begin; i < t.position; ++i) {
    const Event& event = (*graph_)[graph_->thread_event(t.id, i)];
    if (!is_read(event.kind)) continue;
    if (event.spurious || event.rf != graph_->last_write(event.location)) return false;
  }
  return true;
}

void Execution::assume(bool condition, const std::source_location& site) {
  note_in_tail();
  if (condition || (unwinding_ && std::uncaught_exceptions() != 0)) return;
  leaving();
  Thread& t = *running_;
  if (drop_doubtful(t)) prune(t);
  if (t.pending) commit_pending(t);
  block(t, Waiting::assumption, site);
}

/// Every waiting thread has seen the newest values and still waits, and nobody else can go on.
bool Execution::deadlocked() {
  std::string who;
  for (const std::unique_ptr<Thread>& t : threads_) {
    if (t->state != State::waiting) continue;
    if (t->waiting == Waiting::assumption) return false;
    if (t->waiting == Waiting::predicate && !reads_newest(*t)) return false;
    if (t->waiting == Waiting::held) {
      // The newest value is known not to help if it is the one that the read was held back for.
      if (!reads_newest(*t) ||
          !graph_->is_held_for(t->id, t->position, graph_->last_write(t->watched))) {
        return false;
      }
    }
    who += (who.empty() ? "" : ", ") + thread_name(t->id) + " at " + to_string(t->wait_site);
  }
  for (const std::unique_ptr<Thread>& t : threads_) {
    const bool idles = t->waiting == Waiting::idle || t->idling.until_end;
    if (t->state == State::waiting && idles && !t->insists && !idles_forever(*t)) {
      return false;
    }
  }
  ThreadId first = -1;
  for (const std::unique_ptr<Thread>& t : threads_) {
    if (first < 0 && t->state == State::waiting) first = t->id;
  }
  failure_ = {ViolationKind::deadlock, "every thread waits and no write can wake one: " + who,
              first, first < 0 ? std::source_location() : thread(first).wait_site};
  return true;
}

}  // namespace pto2::model::engine
