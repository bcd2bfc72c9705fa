// Idling: polling loops whose turns get nothing, and what another turn would see.
#include <exception>
#include <utility>

#include "models/checker/engine/execution.hpp"

namespace pto2::model::engine {

std::optional<Fault> Idling::check_turn(const EventGraph& graph, EventId read) {
  if (!checks_turn) return {};
  const ThreadId thread = graph[read].thread;
  std::int32_t i = turn_end - 1;
  const auto own = [&]() -> const Event& { return graph[graph.thread_event(thread, i)]; };
  const auto looks_there = [&] {
    return is_read(own().kind) && own().location == graph[read].location;
  };
  while (i >= 0 && !looks_there()) --i;
  const EventId source = graph[read].rf;
  if (i < 0 || graph.value_of(own().rf) == graph.value_of(source)) return {};
  if (!is_initial(source) && graph[source].thread == thread) return {};
  checks_turn = false;
  if (is_initial(source)) return {};
  const Count* const past = graph.row(source, EventGraph::Row::causal);
  if (!graph.covers(past, graph.thread_event(thread, i))) return {};
  do ++i;
  while (is_read(own().kind) || own().kind == Kind::fence);
  return Fault{ViolationKind::misuse,
               "the thread has idled behind a turn that had an effect at " + to_string(own().site) +
                   ", and now sees what comes of it; let it have another turn before it idles",
               {}};
}

/// A look that has failed must have had no effect here either: the script of a misuse that a search
/// has found as a wait comes here. Behind one that has held, the thread does not idle.
void Execution::idle(const std::source_location& site, Look look) {
  if (look != Look::none) running_->evaluation.goes_on = false;
  if (look == Look::held) return;
  note_in_tail();
  if (unwinding_ && std::uncaught_exceptions() != 0) return;
  leaving();
  Thread& t = *running_;
  t.idling.checks_turn = false;
  if (look == Look::failed) {
    refuse_effects(t, t.evaluation.cell_used_at == t.position ? t.position : t.position - 1);
  }
  if (drop_doubtful(t)) prune(t);
  if (t.pending) commit_pending(t);
  if (recorded(t)) {
    fail(ViolationKind::nondeterminism, "the thread idles where its replay goes on", site);
  }
  leave_loop(t);
  t.wait_begin = t.idling.turn_end = t.position;
  block(t, Waiting::idle, site);
}

/// A polling thread that waits for the end of its loop as well. Only an exhaustive search can tell
/// what else it waits for: its turn's reads are revisited.
bool Execution::begin_idle(const std::source_location& site) {
  note_in_tail();
  leaving();
  Thread& t = *running_;
  fail_if(t.evaluation.refuse_wait(), site);
  t.idling.checks_turn = false;
  t.wait_site = site;
  if (search_->preempts() || t.idling.makes_last_turn) {
    leave_loop(t);
    t.wait_begin = t.position;
    t.evaluation.begin();
    t.created.begin_predicate();
    return false;
  }
  t.idling.turn_end = t.position;
  t.idling.until_end = true;
  return true;
}

/// If it idles, it gets another turn, with the newest values.
bool Execution::wake_idling(Thread& t) {
  if (t.state != State::waiting || t.waiting != Waiting::idle || t.insists) return false;
  make_ready(t);
  t.insists = t.idling.checks_turn = true;
  return true;
}

namespace {

/// Reads the newest values: what a thread sees in the end if nobody writes any more.
class Newest final : public Search {
 public:
  void place_read(EventGraph& graph, EventId read) override {
    const EventId write = graph.last_write(graph[read].location);
    if (graph[read].kind == Kind::rmw_read) {
      graph.set_update_reads_from(read, write, false);
    } else {
      graph.set_reads_from(read, write, graph[read].order);
    }
  }
  void place_write(EventGraph& graph, EventId write) override {
    if (graph[write].kind == Kind::write) {
      graph.link_after(write, graph.last_write(graph[write].location));
    }
  }
  ThreadId pick(const std::vector<ThreadId>& ready) override { return ready.front(); }
};

}  // namespace

/// Lets an idling thread make one more turn on the newest values: it must idle again, without
/// having written, and not be cut by an assumption.
bool Execution::idles_forever(Thread& t) {
  Newest newest;
  Search* const search = std::exchange(search_, &newest);
  const std::int32_t size = graph_->size();
  make_ready(t);
  turn_ = t.id;
  forced_turn_ = false;
  t.idling.makes_last_turn = t.idling.checks_turn = true;
  resume(t);
  t.idling.makes_last_turn = t.idling.checks_turn = false;
  turn_ = -1;
  bool forever = t.state == State::waiting && t.waiting != Waiting::assumption && !stopped_;
  for (EventId e = size; e < graph_->size(); ++e) forever &= !is_write((*graph_)[e].kind);
  while (graph_->size() > size) graph_->pop();
  t.pending = false;  // what it would update has left with its step
  search_ = search;
  return forever;
}

}  // namespace pto2::model::engine
