// A part of a graph, and an order of its events with few context switches.
//
// A thread that runs goes on for as long as it can: that never takes anything away from the others,
// since events only wait for earlier ones. So an order is a sequence of threads, and what it has
// led to is how far each has come. A breadth-first search over that finds the shortest sequence.
#include <algorithm>
#include <numeric>
#include <set>

#include "models/checker/engine/script.hpp"

namespace pto2::model::engine {

namespace {

/// How many events of each thread have been put in order.
using Progress = std::vector<std::int32_t>;

class Linearisation {
 public:
  Linearisation(const EventGraph& graph, const Part& part)
      : graph_(graph), wanted_(part.sizes), last_(part.last) {
    if (last_ < 0 || wanted(last_) == 0) return;
    last_step_ = wanted(last_) - 1;
    const Event& event = graph_[graph_.thread_event(last_, last_step_)];
    if (event.kind == Kind::rmw_write) --last_step_;
  }

  std::vector<EventId> order() {
    std::vector<Block> blocks{{Progress(wanted_.size()), 0, -1}};
    std::set<Progress> seen;
    for (std::size_t from = 0; from < blocks.size(); ++from) {
      if (blocks[from].progress == wanted_) return events(blocks, from);
      if (blocks.size() > most_clusters) return events(blocks, finish(blocks, from));
      for (ThreadId t = 0; t < graph_.thread_count(); ++t) {
        Progress next = blocks[from].progress;
        if (run(next, t) && seen.insert(next).second) blocks.push_back({next, from, t});
      }
    }
    return {};
  }

 private:
  static constexpr std::size_t most_clusters = 20'000;

  struct Block {
    Progress progress;  ///< when it ends
    std::size_t before;
    ThreadId thread;
  };

  std::int32_t& wanted(ThreadId t) { return wanted_[static_cast<std::size_t>(t)]; }
  static std::int32_t& of(Progress& progress, ThreadId t) {
    return progress[static_cast<std::size_t>(t)];
  }

  bool enabled(Progress& done, ThreadId t) {
    const auto placed = [&](EventId e) {
      return is_initial(e) || graph_[e].index < of(done, graph_[e].thread);
    };
    const std::int32_t index = of(done, t);
    if (index >= wanted(t)) return false;
    if (t == last_ && index == last_step_ && !others_done(done)) return false;
    const Event& event = graph_[graph_.thread_event(t, index)];
    if (index == 0 && t != 0 && !placed(graph_.spawn_of(t))) return false;
    if (is_read(event.kind) || event.kind == Kind::rmw_write) return placed(event.rf);
    return event.kind != Kind::join ||
           of(done, event.location) == graph_.thread_size(event.location);
  }

  bool others_done(Progress& done) {
    for (ThreadId t = 0; t < graph_.thread_count(); ++t) {
      if (t != last_ && of(done, t) != wanted(t)) return false;
    }
    return true;
  }

  /// Lets a thread go on for as long as it can; false when it cannot at all.
  bool run(Progress& done, ThreadId t) {
    const std::int32_t before = of(done, t);
    while (enabled(done, t)) ++of(done, t);
    return of(done, t) != before;
  }

  /// Gives the search up: threads take turns from here on. Returns the last block.
  std::size_t finish(std::vector<Block>& blocks, std::size_t from) {
    for (bool progress = true; progress;) {
      progress = false;
      for (ThreadId t = 0; t < graph_.thread_count(); ++t) {
        Progress next = blocks[from].progress;
        if (!run(next, t)) continue;
        blocks.push_back({next, from, t});
        from = blocks.size() - 1;
        progress = true;
      }
    }
    return from;
  }

  std::vector<EventId> events(std::vector<Block>& blocks, std::size_t last) const {
    std::vector<EventId> order;
    for (std::size_t block = last; blocks[block].thread >= 0; block = blocks[block].before) {
      const ThreadId t = blocks[block].thread;
      const std::int32_t begin = of(blocks[blocks[block].before].progress, t);
      for (std::int32_t i = of(blocks[block].progress, t); i-- > begin;) {
        order.push_back(graph_.thread_event(t, i));
      }
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  const EventGraph& graph_;
  Progress wanted_;
  ThreadId last_;
  std::int32_t last_step_ = -1;  // index of the first event of its last step
};

/// Makes the part contain the first `size` events of a thread, its start and what they depend on.
void include(const EventGraph& graph, Part& part, ThreadId thread, std::int32_t size) {
  const EventId last = size != 0 ? graph.thread_event(thread, size - 1)
                                 : (thread != 0 ? graph.spawn_of(thread) : no_event);
  if (last == no_event) return;
  for (ThreadId t = 0; t < graph.thread_count(); ++t) {
    const Count past = graph.row(last, EventGraph::Row::causal)[t];
    std::int32_t& in_part = part.sizes[static_cast<std::size_t>(t)];
    in_part = std::max(in_part, std::min<std::int32_t>(graph.thread_size(t), past));
  }
}

}  // namespace

Part everything(const EventGraph& graph, const FailedRun& failure) {
  Part part{{}, failure.of_one_thread() ? failure.thread : -1};
  for (ThreadId t = 0; t < graph.thread_count(); ++t) part.sizes.push_back(graph.thread_size(t));
  return part;
}

Part past_of(const EventGraph& graph, const FailedRun& failure) {
  Part part{Progress(static_cast<std::size_t>(graph.thread_count())), failure.thread};
  include(graph, part, failure.thread, graph.thread_size(failure.thread));
  const Moment& other = failure.other;
  if (other.thread >= 0) {
    include(graph, part, other.thread, std::min(other.epoch, graph.thread_size(other.thread)));
  }
  return part;
}

std::vector<EventId> linearise(const EventGraph& graph, const Part& part) {
  std::vector<EventId> order = Linearisation(graph, part).order();
  const auto events = std::accumulate(part.sizes.begin(), part.sizes.end(), std::size_t{0});
  return order.size() == events ? order : Linearisation(graph, {part.sizes, -1}).order();
}

}  // namespace pto2::model::engine
