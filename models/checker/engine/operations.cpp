// What each visible operation of the program does: repeat its recorded event or add a new one.
#include "models/checker/engine/execution.hpp"

namespace pto2::model::engine {

namespace {

bool releases_alone(std::memory_order order) {
  return releases(order) && order != std::memory_order_seq_cst;
}

/// One that fails only loads.
std::optional<Fault> misuse_in(const Update& update) {
  if (!update.conditional() || !releases_alone(update.failure)) return {};
  return Fault{ViolationKind::misuse, "a compare-exchange cannot fail with release order"};
}

}  // namespace

LocationId Execution::create_atomic(const void* object, const Value& initial, detail::TypeInfo type,
                                    std::string_view name, const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  note_effect(t);  // or the count would tell of turns that are taken back
  if (t.id != 0 || type.is_pointer) isolated_ = false;
  note_in_tail();
  const std::size_t ordinal = static_cast<std::size_t>(t.created.atomics++);
  if (ordinal == t.atomics.size()) {
    const LocationId added = ids_->atomic({t.id, t.created.atomics - 1});
    t.atomics.push_back(added);
    while (slots_.size() <= static_cast<std::size_t>(added)) slots_.push_back(memory_.add_slot());
    graph_->reserve_locations(static_cast<std::int32_t>(slots_.size()));
  }
  const LocationId id = t.atomics[ordinal];
  memory_.create(slots_[static_cast<std::size_t>(id)], object, true, type, name, now(t, site));
  if (unwinding_) {
    ghost(id) = initial;
  } else {
    graph_->location(id).initial = initial;
  }
  return id;
}

void Execution::destroy_atomic(LocationId id, const void* object,
                               const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  if (t.in_predicate) note_effect(t);
  const std::int32_t slot = id >= 0 && static_cast<std::size_t>(id) < slots_.size()
                                ? slots_[static_cast<std::size_t>(id)]
                                : -1;
  fail_if(memory_.destroy_atomic(slot, object, now(t, site), clock(t)), site);
  check_destruction(t, id, site);
}

void Execution::check_destruction(Thread& t, LocationId id, const std::source_location& site) {
  const Count* past = clock(t);
  bool everything = true;
  bool all_joined = true;
  for (ThreadId other = 0; other < graph_->thread_count(); ++other) {
    if (other == t.id) continue;
    const std::int32_t size = graph_->thread_size(other);
    everything &= size <= past[other];
    // To whoever joins a thread its end counts as an event.
    all_joined &= size < past[other] || graph_->spawn_of(other) == no_event;
  }
  // Others may be in the past in this execution and not in the next.
  if (!all_joined) note_in_tail();
  if (everything) return;
  for (EventId e = 0; e < graph_->size(); ++e) {
    const Event& event = (*graph_)[e];
    if (event.location != id || !(is_read(event.kind) || is_write(event.kind))) continue;
    if (event.thread == t.id || graph_->covers(past, e)) continue;
    // That it has not been repeated yet does not make it later.
    fail(ViolationKind::use_after_free,
         "destruction of " + location_name(id) + " does not happen after its use at " +
             to_string(event.site),
         site);
  }
}

void Execution::check_access(Thread& t, LocationId id, const void* object,
                             const std::source_location& site) {
  const bool known = id >= 0 && static_cast<std::size_t>(id) < slots_.size();
  fail_if(memory_.access(known ? slots_[static_cast<std::size_t>(id)] : -1, object, now(t, site),
                         clock(t)),
          site);
}

/// Gives a new read its value. `stale`: what it takes its value from is for later runs.
void Execution::place_read(Thread& t, EventId read, bool stale) {
  if (stale) {
    search_->offer_stale(*graph_, read);
    prune(t);
  }
  search_->newest_only = t.insists;
  search_->place_read(*graph_, read);
  ++t.position;
  if (!t.in_predicate) fail_if(t.idling.check_turn(*graph_, read), last_site(t));
}

Value Execution::load(LocationId id, const void* object, std::memory_order order,
                      const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  const LookAround around(t.spinning, [&] { return surroundings(t); });
  if (t.pending) commit_pending(t);
  if (!spin_loops_.empty() || t.spinning.under_proof) begin_turn(t, site);
  if (recorded(t)) {
    const EventId write = replay(t, Kind::read, id).rf;
    require_write(t, write);
    ++t.position;
    return graph_->value_of(write);
  }
  take_turn(t);
  check_access(t, id, object, site);
  if (releases_alone(order)) {
    fail(ViolationKind::misuse, "a load cannot have release order", site);
  }
  const bool stale = graph_->is_held(t.id, t.position) && wait_for_admissible(t, id);
  const EventId read =
      graph_->append(t.id, Kind::read, effective(Kind::read, order, site), id, site);
  place_read(t, read, stale);
  const Value value = graph_->value_of((*graph_)[read].rf);
  step_done(t);
  if (t.position >= spin_limit_) note_spin(t, read);
  return value;
}

void Execution::store(LocationId id, const void* object, const Value& value,
                      std::memory_order order, const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  note_effect(t);
  if (t.pending) commit_pending(t);
  if (recorded(t)) {
    replay(t, Kind::write, id).value = value;
    ++t.position;
    return;
  }
  take_turn(t);
  check_access(t, id, object, site);
  if (acquires(order) && order != std::memory_order_seq_cst) {
    fail(ViolationKind::misuse, "a store cannot have acquire order", site);
  }
  const EventId write =
      graph_->append(t.id, Kind::write, effective(Kind::write, order, site), id, site);
  (*graph_)[write].value = value;
  graph_->set_gain(write, options_.rc11_release_sequences);
  search_->place_write(*graph_, write);
  ++t.position;
  step_done(t);
}

detail::RmwResult Execution::update(LocationId id, const void* object, const Update& update,
                                    const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  const LookAround around(t.spinning, [&] { return surroundings(t); });
  if (t.pending) commit_pending(t);
  if (!spin_loops_.empty() || t.spinning.under_proof) begin_turn(t, site);
  EventId read;
  const bool added = !recorded(t);
  if (!added) {
    Event& event = replay(t, Kind::rmw_read, id);
    read = graph_->thread_event(t.id, t.position);
    require_write(t, event.rf);
    graph_->update(read) = strengthened_ ? stronger(update, site) : update;
    ++t.position;
  } else {
    take_turn(t);
    check_access(t, id, object, site);
    fail_if(misuse_in(update), site);
    const bool stale = graph_->is_held(t.id, t.position) && wait_for_admissible(t, id);
    read = graph_->append_update(t.id, id, strengthened_ ? stronger(update, site) : update, site);
    (*graph_)[read].tentative = t.in_predicate;
    place_read(t, read, stale);
  }
  const Value previous = graph_->value_of((*graph_)[read].rf);
  if (!graph_->stores(read)) {
    const bool newest = !recorded(t) && read == graph_->size() - 1;
    if (added) step_done(t);
    if (newest && t.position >= spin_limit_) note_spin(t, read);
    return {previous, false};
  }
  if (added) ++steps_;
  if (recorded(t)) {
    leave_loop(t);
    replay(t, Kind::rmw_write, id).value = update.result(previous);
    ++t.position;
  } else if (t.in_predicate) {
    t.pending = true;
  } else {
    append_rmw_write(t, read);
    if (t.position >= spin_limit_ && update.result(previous) == previous) note_spin(t, read);
  }
  return {previous, true};
}

Update Execution::stronger(Update update, const std::source_location& site) const {
  update.success = effective(Kind::rmw_read, update.success, site);
  update.failure = effective(Kind::read, update.failure, site);
  return update;
}

void Execution::append_rmw_write(Thread& t, EventId read) {
  note_effect(t);
  take_turn(t);
  const Update& operation = graph_->update(read);
  const EventId source = (*graph_)[read].rf;
  if (graph_->update_of(source) != no_event) {
    search_->add_conflicting_update(*graph_, read);
    prune(t);
  }
  const std::source_location site = (*graph_)[read].site;  // the graph may move when it grows
  const EventId write =
      graph_->append(t.id, Kind::rmw_write, operation.success, (*graph_)[read].location, site);
  (*graph_)[write].rf = source;
  (*graph_)[write].value = operation.result(graph_->value_of(source));
  graph_->set_gain(write, options_.rc11_release_sequences);
  graph_->continue_release_sequence(write);
  graph_->link_after(write, source);
  search_->place_write(*graph_, write);
  ++t.position;
  step_done(t);
}

void Execution::commit_pending(Thread& t) {
  t.pending = false;
  append_rmw_write(t, graph_->thread_event(t.id, t.position - 1));
}

void Execution::fence(std::memory_order order, const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  const LookAround around(t.spinning, [&] { return surroundings(t); });
  if (order == std::memory_order_relaxed) return;
  if (t.pending) commit_pending(t);
  const std::memory_order strength = effective(Kind::fence, order, site);
  if (recorded(t)) {
    replay(t, Kind::fence, -1);
    ++t.position;
    return;
  }
  take_turn(t);
  const EventId event = graph_->append(t.id, Kind::fence, strength, -1, site);
  if (acquires(strength)) graph_->acquire_by_fence(event);
  ++t.position;
  step_done(t);
}

ThreadId Execution::spawn(std::function<void()>&& body, std::string_view name,
                          const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  note_effect(t);
  if (t.pending) commit_pending(t);
  if (t.id != 0) isolated_ = false;
  const std::size_t ordinal = static_cast<std::size_t>(t.created.threads++);
  if (ordinal == t.children.size()) {
    const ThreadId added = ids_->thread({t.id, t.created.threads - 1});
    if (added >= max_threads) stop("more than " + std::to_string(max_threads) + " threads");
    t.children.push_back(added);
    add_threads(static_cast<std::size_t>(added) + 1);
    graph_->reserve_threads(static_cast<std::int32_t>(threads_.size()));
  }
  const ThreadId id = t.children[ordinal];
  const bool added = !recorded(t);
  if (!added) {
    replay(t, Kind::spawn, id);
  } else {
    take_turn(t);
    const EventId event = graph_->append(t.id, Kind::spawn, std::memory_order_relaxed, id, site);
    graph_->set_spawned(id, event);
  }
  ++t.position;
  Thread& child = thread(id);
  child.body = std::move(body);
  if (child.name != name) child.name = name;
  child.wait_site = site;
  if (!child.kept) {
    make_ready(child);
    ++unfinished_;
  }
  if (added) step_done(t);
  return id;
}

void Execution::join(ThreadId id, const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  note_effect(t);  // others make steps before it comes to its own
  if (t.pending) commit_pending(t);
  if (id < 0) fail(ViolationKind::misuse, "join of a thread that is not joinable", site);
  if (recorded(t)) {
    replay(t, Kind::join, id);
    require(t, id, -1);
    ++t.position;
    return;
  }
  if (t.id == 0 && enter_tail(t)) return;
  // Joining comes after everything else that can be done, so that it costs few switches.
  t.join_target = id;
  t.wait_site = site;
  t.state = State::joining;
  if (turn_ == t.id && unfinished_ > 1) turn_ = forced_turn_ ? -1 : next_thread();
  take_turn(t);
  make_ready(t);
  const EventId event = graph_->append(t.id, Kind::join, std::memory_order_relaxed, id, site);
  graph_->set_joined(event, id);
  ++t.position;
  step_done(t);
}

void Execution::abandon(const std::source_location& site) {
  leaving();
  fail(ViolationKind::misuse, "a thread handle goes away before its thread is joined", site);
}

std::int32_t Execution::create_cell(const void* object, bool initialised, std::string_view name,
                                    const std::source_location& site) {
  Thread& t = *running_;
  if (t.in_predicate) note_effect(t);
  isolated_ = false;
  const std::size_t ordinal = static_cast<std::size_t>(t.created.cells++);
  if (ordinal == t.cells.size()) t.cells.push_back(memory_.add_slot());
  memory_.create(t.cells[ordinal], object, initialised, {}, name, now(t, site));
  return t.cells[ordinal];
}

void Execution::destroy_cell(std::int32_t id, const void* object,
                             const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  if (t.in_predicate) note_effect(t);
  fail_if(memory_.destroy_cell(id, object, now(t, site), clock(t)), site);
}

void Execution::access_cell(std::int32_t id, const void* object, const CellAccess& access,
                            const std::source_location& site) {
  leaving();
  Thread& t = *running_;
  note_effect(t);
  if (t.pending) commit_pending(t);
  t.evaluation.cell_used_at = t.position;
  t.evaluation.reads_cells |= t.in_predicate;
  if (access.writes && t.evaluation.goes_on && !t.created.made_by_predicate(t.cells, id)) {
    t.evaluation.written_cell = site;
  }
  const bool stays = !t.in_predicate || search_->keeps_failed_predicates();
  fail_if(memory_.access_cell(id, object, access, now(t, site), clock(t),
                              stays ? t.position : t.wait_begin),
          site);
}

void Execution::check(bool condition, std::string_view message, const std::source_location& site) {
  note_in_tail();
  if (condition || unwinding_) return;
  fail(ViolationKind::check_failed, std::string(message), site);
}

void Execution::note_sometimes(std::string_view name, bool condition) {
  if (unwinding_ || in_doubt(*running_)) return;
  note_in_tail();
  sometimes_.note(running_->id, name, condition);
}

}  // namespace pto2::model::engine
