// Loops that wait without saying so: steps that see the same over and over and change nothing.
//
// A loop spins if a turn of it changes nothing. Its place is found by running it for as many turns
// as Options::spin_limit says and looking whether the thread's registers and stack are then what
// they were a turn before, and whether the thread has changed any other memory. Once the place is
// known a search begins anew in which each turn there that ends as it began is a wait that failed.
// The place may also be part of another loop, which does change something: so all is compared then,
// too.
//
// What ends as an earlier turn began has failed, be it that turn or several, with others' steps in
// between or not. So an execution that is complete has no thread whose loop is twice in one state,
// in whichever order its steps have come to the graph. None is missed: the turns between two such
// states are looks that nobody else depends on, and without them the graph is consistent, too, and
// is one of the program. In an exhaustive search what has failed is taken back where it is all on
// top, and comes again when somebody has written, which only puts off the thread's step; the thread
// is blocked where it is not, and its looks are revisited, as are those of a predicate that is
// evaluated for good. So who makes which step is a function of the graph, and each is found once.
#include <algorithm>
#include <array>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/local_state.hpp"

namespace pto2::model::engine {

namespace {

/// Looks beyond the limit in which a loop may show that its turns change nothing.
constexpr std::int32_t looks_for_proof = 64;

bool repeats(const EventGraph& graph, EventId a, EventId b) {
  const bool same = graph[a].rf == graph[b].rf || (graph.stores(a) && graph.stores(b));
  return same && same_place(graph[a].site, graph[b].site);
}

/// Whether a step may be part of a turn that changes nothing.
bool is_idle(const EventGraph& graph, const Event& event) {
  if (event.kind == Kind::rmw_write) return event.value == graph.value_of(event.rf);
  return is_read(event.kind) || event.kind == Kind::fence;
}

/// How many of a thread's last looks in a row, at no more than 16 places, are repetitions. Each is
/// a read, or an update that leaves the value as it is. Those of its steps before `begin` do not
/// count.
std::int64_t repeated_looks(const EventGraph& graph, ThreadId thread, EventId look,
                            std::int32_t begin) {
  std::array<EventId, 16> different = {};
  std::size_t places = 0;
  std::int64_t repeated = 0;
  for (std::int32_t i = graph[look].index; i >= begin; --i) {
    const EventId event = graph.thread_event(thread, i);
    if (!is_idle(graph, graph[event])) break;
    if (!is_read(graph[event].kind)) continue;
    const auto end = different.begin() + static_cast<std::ptrdiff_t>(places);
    if (std::any_of(different.begin(), end,
                    [&](EventId seen) { return repeats(graph, seen, event); })) {
      ++repeated;
    } else if (places < different.size()) {
      different[places++] = event;
    } else {
      break;
    }
  }
  return repeated;
}

}  // namespace

/// In front of a read that may be where a loop's turn begins.
void Execution::begin_turn(Thread& t, const std::source_location& place) {
  if (t.in_predicate) return;
  std::vector<Turn>& turns = t.spinning.turns;
  const bool known = spin_loops_.contains(place);
  if (!known && !t.spinning.under_proof) {
    if (!turns.empty()) t.insists = false;  // behind the loop, a walk sees stale values again
    return;
  }
  // The last turns are enough.
  if (!known && graph_->thread_size(t.id) - t.position > looks_for_proof) return;
  const std::optional<std::uint64_t> state = local_state(t.fiber->top());
  if (!state) return;
  const std::uint64_t changes = t.spinning.changes;
  const auto same = std::find_if(turns.begin(), turns.end(), [&](const Turn& turn) {
    return turn.local_state == *state && turn.changes == changes && same_place(turn.place, place);
  });
  if (same != turns.end() && !known) {
    spin_loops_.add(place);
    stop(loop_found_reason);
  }
  if (same == turns.end() || recorded(t)) {
    turns.push_back({place, *state, changes, t.position, graph_->thread_size(t.id) - t.position});
    return;
  }
  turns.erase(same + 1, turns.end());
  t.wait_begin = same->position;
  t.given = same->given;
  t.evaluation.had_effects = false;
  t.wait_site = place;
  const std::int32_t end = t.position;
  fail_wait(t);
  if (t.position == end) t.spinning.kept_until = end;
  turns.back().position = t.position;
  turns.back().given = graph_->thread_size(t.id) - t.position;
}

/// What a thread may count in besides its stack, as a sum over the words of it.
std::uint64_t Execution::surroundings(const Thread& t) const {
  // The captures of its function, if they are small, are there and nowhere else.
  std::uint64_t sum = sum_of({&t.body, &t.body + 1});
  for (const std::unique_ptr<Thread>& other : threads_) {
    const Fiber& fiber = *other->fiber;
    if (other.get() != &t && !fiber.parked()) sum += sum_of({fiber.suspended_at(), fiber.top()});
  }
  return sum + heap_.sum() + spin_loops_.sum_of_surroundings();
}

/// Behind a new look, which may be the first one after very many that were repeated. Their thread
/// is named, unless its loop shows before that its turns change nothing. Turns that have shown it
/// and stay are no sign: each has somebody else's step within, and others' steps come to an end.
void Execution::note_spin(Thread& t, EventId look) {
  const std::int64_t repeated = repeated_looks(*graph_, t.id, look, t.spinning.kept_until);
  if (repeated < spin_limit_) return;
  t.spinning.under_proof = true;
  if (!spin_loops_.suspected()) {
    SpinLoops::suspect();
    stop(loop_found_reason);
  }
  if (repeated < spin_limit_ + looks_for_proof) return;
  // No failure, even if nobody else can make a step: the loop may be counting, and so end itself.
  const Event& event = (*graph_)[look];
  stop(std::string("thread ").append(thread_name(t.id)) + " spins at " + to_string(event.site) +
       " on " + location_name(event.location) + ", and may change something in each turn; wait " +
       "with pto2::model::await or idle");
}

}  // namespace pto2::model::engine
