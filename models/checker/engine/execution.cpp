#include "models/checker/engine/execution.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/checker/engine/exits.hpp"
#include "models/checker/engine/local_state.hpp"
#include "models/checker/engine/story.hpp"

namespace pto2::model::engine {

namespace {
constinit thread_local Execution* current_execution = nullptr;
}  // namespace

Execution& Execution::current() {
  if (current_execution == nullptr) {
    throw std::logic_error(
        "pto2::model objects can only be used inside the body given to pto2::model::explore");
  }
  return *current_execution;
}

void Execution::look_for_hang() {
  Execution* const execution = current_execution;
  if (execution == nullptr || execution->running_ == nullptr || execution->unwinding_) return;
  if (!execution->heartbeat_.has_stopped()) return;
  execution->crash_ = {Crash::Cause::hang};
  execution->give_up_running();
}

void Execution::crashed(const Crash& crash) noexcept {
  Execution* const execution = current_execution;
  if (execution == nullptr || execution->running_ == nullptr) return;
  if (!in_process_of_searches()) return;
  // What runs is the program's own code, or what unwinds it.
  if (!execution->unwinding_ && program_heap != &execution->heap_) return;
  if (crash.ends_process()) {
    const HeapScope own(nullptr);
    const Moment last = execution->here();
    const EventGraph& graph = *execution->graph_;
    const FailedRun failure{ViolationKind::crash, to_string(crash), last.thread, last.site};
    end_process(execution->options_.name,
                describe(*execution, graph, failure, everything(graph, failure)));
  }
  // While an execution is taken down it has ended already, and nobody cares how its threads do.
  if (!execution->unwinding_) execution->crash_ = crash;
  execution->give_up_running();
}

std::source_location Execution::last_site(const Thread& t) const {
  if (t.position > 0) return (*graph_)[graph_->thread_event(t.id, t.position - 1)].site;
  return t.wait_site;
}

Execution::Execution(const Options& options, const std::function<void()>& body,
                     std::shared_ptr<Ids> ids)
    : options_(options),
      body_(body),
      ids_(std::move(ids)),
      heap_(options.heap_leaks),
      isolated_(options.isolated_threads && !options.heap_leaks),
      spin_limit_(options.spin_limit) {
  if (spin_loops_.suspected()) heap_.note_allocations();
  add_threads(1);
}

Execution::~Execution() {
  EventGraph nothing;
  graph_ = &nothing;
  Execution* const outer = std::exchange(current_execution, this);
  release_main();
  heap_.release();
  current_execution = outer;
}

void Execution::add_threads(std::size_t count) {
  while (threads_.size() < count) {
    threads_.push_back(std::make_unique<Thread>());
    Thread& t = *threads_.back();
    t.id = static_cast<ThreadId>(threads_.size()) - 1;
    t.fiber = std::make_unique<Fiber>([this, &t] { thread_main(t); }, options_.stack_bytes);
  }
}

void Execution::reset_threads() {
  const bool main_kept = keep_main();
  for (const std::unique_ptr<Thread>& t : threads_) {
    t->kept = t->id == 0 ? main_kept : isolated_ && unchanged(*t);
    if (!t->kept) reset(*t);
  }
  unfinished_ = 0;
  if (main_kept) {
    restart_children();
    return;
  }
  memory_.begin_run();
  tail_.begin = -1;
  make_ready(thread(0));
  ++unfinished_;
}

void Execution::reset(Thread& t) {
  if (t.fiber->given_up()) t.fiber->restart();
  t.state = State::absent;
  t.waiting = Waiting::no;
  t.position = 0;
  t.needs_thread = -1;
  t.failed = false;
  t.in_predicate = t.pending = t.insists = t.last_resort = false;
  t.idling = {};
  t.trying_read = no_event;
  t.wait_begin = -1;
  t.created = {};
  t.evaluation = {};
  leave_loop(t);
  t.spinning.kept_until = 0;
  sometimes_.forget(t.id);
}

void Execution::thread_main(Thread& t) {
  try {
    if (!spin_loops_.empty()) paint_stack(options_.stack_bytes);
    program_heap = &heap_;
    if (t.id == 0) {
      body_();
    } else {
      // With isolated threads it may be called again in a later run, with the captures as they
      // were.
      if (isolated_) {
        const std::function<void()> body = t.body;
        body();
      } else {
        t.body();
        t.body = nullptr;  // what it owns goes away in its thread, as with std::thread
      }
    }
    program_heap = nullptr;
    if (!unwinding_ && recorded(t)) {
      fail(ViolationKind::nondeterminism, "the thread ended where its replay has further steps",
           t.wait_site);
    }
  } catch (const Unwind&) {
  } catch (const std::exception& error) {
    if (!unwinding_) {
      stopped_ = true;
      failure_ = {ViolationKind::exception, std::string("uncaught exception: ") + error.what(),
                  t.id, last_site(t)};
      early_ = ExecutionEnd::failed;
    }
  } catch (...) {
    if (!unwinding_) {
      stopped_ = true;
      failure_ = {ViolationKind::exception, "uncaught exception", t.id, last_site(t)};
      early_ = ExecutionEnd::failed;
    }
  }
  t.state = State::finished;
  --unfinished_;
  // A thread that was unwound has not ended by itself: no version fits it.
  t.version = !unwinding_ && t.position > 0 ? version_at(*graph_, t.id, t.position) : 0;
}

void Execution::resume(Thread& t) {
  Thread* const outer = running_;
  running_ = &t;
  if (unwinding_) program_heap = &heap_;
  t.fiber->resume();
  program_heap = nullptr;  // an exception or the watchdog may have ended the program's turn
  running_ = outer;
}

ExecutionEnd Execution::run(EventGraph& graph, Search& search, ThreadId first) {
  Execution* const outer = std::exchange(current_execution, this);
  graph_ = &graph;
  search_ = &search;
  preempts_ = search.preempts();
  // A graph from another search may know more than this execution has met.
  add_threads(static_cast<std::size_t>(graph.thread_count()));
  while (slots_.size() < static_cast<std::size_t>(graph.location_count())) {
    slots_.push_back(memory_.add_slot());
  }
  graph.reserve_threads(static_cast<std::int32_t>(threads_.size()));
  graph.reserve_locations(static_cast<std::int32_t>(slots_.size()));
  ++runs_;
  reset_threads();
  unwinding_ = stopped_ = false;
  first_ = first;
  turn_ = -1;
  postponed_ = 0;
  replay_recorded();
  if (!stopped_) extend();
  ExecutionEnd end = stopped_ ? early_ : conclude();
  if (crash_.cause != Crash::Cause::none && drop_doubtful(thread(crash_.thread))) {
    crash_ = {};
    end = ExecutionEnd::pruned;
  }
  if (crash_.cause != Crash::Cause::none) report_crash();
  end == ExecutionEnd::complete ? sometimes_.keep() : unwind_all();
  if (heap_.lost_bytes() > Heap::most_lost_bytes && end != ExecutionEnd::failed) {
    limit_ = heap_.what_is_lost();
    end = ExecutionEnd::limited;
  }
  heap_.release();
  current_execution = outer;
  return end;
}

void Execution::replay_recorded() {
  // Main first: the others live in its frame. A thread without steps starts when it is chosen.
  for (std::size_t i = 0; i < threads_.size() && !stopped_; ++i) {
    const ThreadId id = static_cast<ThreadId>(i);
    if (graph_->thread_size(id) > 0) replay_until(id, graph_->thread_size(id) - 1);
  }
}

/// Lets a thread pass its step `index`, or its end when `index` is -1, and first whatever that
/// depends on. Terminates because program order and reads-from have no cycle.
void Execution::replay_until(ThreadId id, std::int32_t index) {
  Thread& t = thread(id);
  const auto arrived = [&] {
    if (stopped_) return true;
    if (index < 0) return t.state == State::finished;
    // A read that is held back on the way leaves the graph.
    return t.position > index || t.position == graph_->thread_size(id);
  };
  while (!arrived()) {
    if (t.state == State::absent) {
      const EventId spawn = graph_->spawn_of(id);
      replay_until((*graph_)[spawn].thread, (*graph_)[spawn].index);
      continue;
    }
    const std::int32_t before = t.position;
    t.needs_thread = -1;
    if (t.state != State::finished) resume(t);
    if (stopped_) return;
    if (t.needs_thread >= 0) {
      if (!arrived()) replay_until(t.needs_thread, t.needs_index);
    } else if (!arrived() && t.position == before) {
      failure_ = {ViolationKind::nondeterminism, "a thread does not repeat its recorded steps", id,
                  t.wait_site};
      early_ = ExecutionEnd::failed;
      stopped_ = true;
    }
  }
}

ThreadId Execution::next_thread() {
  const bool preempts = preempts_;
  const auto joinable = [&](const Thread& t) {
    return t.state == State::joining && thread(t.join_target).state == State::finished;
  };
  // A script may leave a thread in a loop that spins behind a turn on old values.
  const auto looks_again = [&](Thread& t) {
    if (t.state != State::waiting || t.waiting != Waiting::predicate) return false;
    if (!spins(t) || reads_newest(t)) return false;
    t.wait_begin = t.position;
    make_ready(t);
    return true;
  };
  if (!preempts) {
    // The leftmost thread that can go on; joining waits until nobody else can.
    for (; leftmost_ < static_cast<ThreadId>(threads_.size()); ++leftmost_) {
      if (thread(leftmost_).state == State::ready) return leftmost_;
    }
  }
  const ThreadId maker = search_->maker_of(graph_->size());
  if (maker >= 0 && static_cast<std::size_t>(maker) < threads_.size()) wake_idling(thread(maker));
  do {
    if (!preempts) break;
    ready_.clear();
    for (const std::unique_ptr<Thread>& t : threads_) {
      if (t->state == State::ready || joinable(*t)) ready_.push_back(t->id);
    }
    if (!ready_.empty()) {
      search_->next_step = graph_->size();
      return search_->pick(ready_);
    }
    // When nobody else can go on, those that idle or spin get a turn.
  } while (std::count_if(threads_.begin(), threads_.end(),
                         [&](const auto& t) { return wake_idling(*t) || looks_again(*t); }) != 0);
  for (const std::unique_ptr<Thread>& t : threads_) {
    if (joinable(*t)) return t->id;
  }
  if (unfinished_ == 0) return -1;
  return wake_last_resort();
}

void Execution::extend() {
  forced_turn_ = first_ >= 0;
  turn_ = first_ >= 0 ? first_ : next_thread();
  while (turn_ >= 0 && !stopped_) {
    const ThreadId before = turn_;
    resume(thread(turn_));
    if (stopped_) return;
    const bool handed_over = turn_ != before && turn_ >= 0;
    if (!handed_over) turn_ = next_thread();
  }
}

ExecutionEnd Execution::conclude() {
  const bool finished = unfinished_ == 0;
  if (!finished && options_.allow_deadlocks) return ExecutionEnd::blocked;
  if (!finished)
    return deadlocked() ? ExecutionEnd::failed : (stopped_ ? early_ : ExecutionEnd::blocked);
  if (thread(0).state == State::at_tail) return ExecutionEnd::complete;
  if (const Object* object = memory_.alive() != 0 ? memory_.leaked() : nullptr) {
    failure_ = {ViolationKind::leak,
                (object->name.empty() ? "an object" : object->name) + " created at " +
                    to_string(object->created.site) + " is never destroyed",
                object->created.thread, object->created.site};
    return ExecutionEnd::failed;
  }
  if (const Block* block = heap_.leaked()) {
    failure_ = {ViolationKind::leak,
                std::to_string(block->bytes) + " bytes from operator new are never deleted",
                block->thread, block->site};
    return ExecutionEnd::failed;
  }
  learn_tail();
  return ExecutionEnd::complete;
}

std::string Execution::thread_name(ThreadId id) const {
  if (static_cast<std::size_t>(id) >= threads_.size()) return "?";
  const std::string& name = thread(id).name;
  if (!name.empty()) return name;
  return id == 0 ? std::string("main") : std::string("T").append(std::to_string(id));
}

bool Execution::has_run(ThreadId id) const {
  if (static_cast<std::size_t>(id) >= threads_.size()) return false;
  return thread(id).state == State::finished || !thread(id).fiber->parked();
}

std::string Execution::location_name(LocationId id) const {
  const Object& object = memory_.object(slots_[static_cast<std::size_t>(id)]);
  if (!object.name.empty()) return object.name;
  return std::string("a")
      .append(std::to_string(id))
      .append("@")
      .append(to_string(object.created.site));
}

void Execution::fail(ViolationKind kind, std::string message, const std::source_location& site,
                     const Moment& other) {
  Thread& t = *running_;
  if (drop_doubtful(t)) prune(t);
  // What is wrong behind an update is so in executions in which that has been made.
  if (!unwinding_ && t.in_predicate && t.pending) commit_pending(t);
  if (!unwinding_) {
    failure_ = {kind, std::move(message), t.id, site, other};
    early_ = ExecutionEnd::failed;
    stopped_ = true;
  }
  leave(t);
}

void Execution::stop(std::string reason) {
  limit_ = std::move(reason);
  early_ = ExecutionEnd::limited;
  stopped_ = true;
  leave(*running_);
}

/// A predicate that deletes does more than look, be it what it has made itself.
void Execution::deletes(bool again) noexcept {
  attempt_quietly([&] {
    if (running_->in_predicate) note_effect(*running_);
    if (again) {
      fail(ViolationKind::double_free, "memory is deleted a second time", here().site);
    }
  });
}

Value& Execution::ghost(LocationId id) {
  const std::size_t index = id < 0 ? 0 : static_cast<std::size_t>(id) + 1;
  if (index >= ghosts_.size()) ghosts_.resize(index + 1);
  auto& [run, value] = ghosts_[index];
  if (run != runs_) {
    run = runs_;
    const bool known = id >= 0 && id < graph_->location_count();
    value = known ? graph_->value_of(graph_->last_write(id)) : Value{};
  }
  return value;
}

detail::RmwResult Execution::ghost_update(LocationId id, const Update& update) {
  Value& value = ghost(id);
  const Value previous = value;
  const bool stores = update.succeeds_on(previous);
  if (stores) value = update.result(previous);
  return {previous, stores};
}

void Execution::leave(Thread& t) {
  t.failed = true;
  if (!unwinding_) t.fiber->suspend();
  exceptions_.unwind();
}

bool Execution::leaving() {
  heartbeat_.beat();
  if (unwinding_) exceptions_.unwind();
  return false;
}

void Execution::take_turn(Thread& t) {
  if (preempts_ && turn_ == t.id && search_->stops(t.id)) turn_ = next_thread();
  while (turn_ != t.id) {
    t.fiber->suspend();
    if (unwinding_) exceptions_.unwind();
  }
}

void Execution::step_done(Thread& t) {
  ++steps_;
  if (forced_turn_) {
    forced_turn_ = false;
    turn_ = -1;
  } else if (preempts_) {
    wake_waiting();
    if (!t.in_predicate || search_->keeps_failed_predicates()) turn_ = next_thread();
  } else {
    wake_postponed(t);
  }
  if (t.position >= static_cast<std::int32_t>(options_.max_thread_events)) {
    stop(std::string("thread ").append(thread_name(t.id)) + " made more than " +
         std::to_string(options_.max_thread_events) + " steps, the last one at " +
         to_string(last_site(t)));
  }
}

void Execution::require(Thread& t, ThreadId other, std::int32_t index) {
  const Thread& o = thread(other);
  while (index < 0 ? o.state != State::finished : o.position <= index) {
    t.needs_thread = other;
    t.needs_index = index;
    t.fiber->suspend();
    if (unwinding_) exceptions_.unwind();
  }
}

void Execution::require_write(Thread& t, EventId write) {
  if (is_initial(write)) return;
  const Event& event = (*graph_)[write];
  if (event.thread != t.id) require(t, event.thread, event.index);
}

Event& Execution::replay(Thread& t, Kind kind, LocationId location) {
  const EventId id = graph_->thread_event(t.id, t.position);
  Event& event = (*graph_)[id];
  if (event.kind != kind || event.location != location) {
    fail(ViolationKind::nondeterminism,
         "the program does another step than in the execution that is replayed, where line " +
             to_string(event.site) +
             " comes next: it depends on something that outlives one run "
             "or on addresses",
         event.site);
  }
  return event;
}

}  // namespace pto2::model::engine
