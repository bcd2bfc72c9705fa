#include "models/checker/engine/walk.hpp"

#include <algorithm>
#include <utility>

#include "models/checker/engine/coherence.hpp"

namespace pto2::model::engine {

Walk::Walk(const Options& options, std::uint64_t seed, std::uint64_t expected_steps)
    : strategy_(options.strategy),
      spurious_failures_(options.spurious_failures),
      random_(static_cast<std::uint32_t>(seed * 0x9e3779b97f4a7c15 >> 33)) {
  for (unsigned i = 1; i < options.depth && strategy_ == Strategy::pct; ++i) {
    changes_.push_back(roll(std::max<std::uint64_t>(expected_steps, 1)));
  }
}

void Walk::place_read(EventGraph& graph, EventId read) {
  const Event& event = graph[read];
  const bool update = event.kind == Kind::rmw_read;
  const bool fails = update && spurious_failures_ && !newest_only && graph.update(read).weak &&
                     roll(one_spurious_failure_in) == 0;
  const auto spuriously = [&](EventId write) {
    return fails && graph.update(read).may_fail_on(graph.value_of(write));
  };
  const auto read_from = [&](EventId write) {
    if (update) {
      graph.set_update_reads_from(read, write, spuriously(write));
    } else {
      graph.set_reads_from(read, write, event.order);
    }
  };
  const EventId newest = graph.last_write(event.location);
  candidates_.clear();
  if (!newest_only && may_be_stale(graph)) {
    for_each_readable(graph, event.location, graph.clock_before(event.thread, event.index),
                      [&](EventId write) {
                        // An update that succeeds takes the position behind its source, which
                        // must be free.
                        if (!update || graph.update_of(write) == no_event || spuriously(write) ||
                            !graph.update(read).succeeds_on(graph.value_of(write))) {
                          candidates_.push_back(write);
                        }
                        return candidates_.size() < most_candidates;
                      });
  }
  const EventId chosen = candidates_.empty() ? newest : candidates_[roll(candidates_.size())];
  read_from(chosen);
  if (chosen != newest && !sequential_consistency_.holds_with(graph, {read})) read_from(newest);
}

void Walk::place_write(EventGraph& graph, EventId write) {
  const Event& event = graph[write];
  if (event.kind == Kind::rmw_write) return;
  const EventId newest = graph.last_write(event.location);
  candidates_.clear();
  if (may_be_stale(graph)) {
    for_each_position(graph, event.location, graph.clock_before(event.thread, event.index),
                      [&](EventId predecessor) {
                        candidates_.push_back(predecessor);
                        return candidates_.size() < most_candidates;
                      });
  }
  const EventId chosen = candidates_.empty() ? newest : candidates_[roll(candidates_.size())];
  graph.link_after(write, chosen);
  if (chosen != newest && !sequential_consistency_.holds_with(graph, {write})) {
    graph.unlink(write);
    graph.link_after(write, newest);
  }
}

ThreadId Walk::pick(const std::vector<ThreadId>& ready) {
  ++steps_;
  if (ready.size() == 1) return current_ = ready.front();
  switch (strategy_) {
    case Strategy::pct:
      return current_ = pick_by_priority(ready);
    case Strategy::bursts:
      return current_ = pick_in_bursts(ready);
    default:
      return current_ = ready[roll(ready.size())];
  }
}

ThreadId Walk::pick_by_priority(const std::vector<ThreadId>& ready) {
  const auto priority = [&](ThreadId thread) -> std::int64_t& {
    const std::size_t index = static_cast<std::size_t>(thread);
    if (index >= priorities_.size()) priorities_.resize(index + 1, 0);
    if (priorities_[index] == 0) {
      priorities_[index] = static_cast<std::int64_t>(changes_.size() + 1 + roll(1'000'000'000));
    }
    return priorities_[index];
  };
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    // The i-th change gives the running thread a priority below all that were drawn.
    if (changes_[i] == steps_ && current_ >= 0)
      priority(current_) = -static_cast<std::int64_t>(i) - 1;
  }
  return *std::max_element(ready.begin(), ready.end(),
                           [&](ThreadId a, ThreadId b) { return priority(a) < priority(b); });
}

ThreadId Walk::pick_in_bursts(const std::vector<ThreadId>& ready) {
  if (burst_ > 0 && std::find(ready.begin(), ready.end(), current_) != ready.end()) {
    --burst_;
    return current_;
  }
  burst_ = std::uint64_t{1} << roll(9);
  return ready[roll(ready.size())];
}

}  // namespace pto2::model::engine
