#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory_resource>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

/// Whether a task may take what `holder` had; says why not.
void check_released(const Case& it, const char* rule, const char* what, uint32_t task,
                    uint32_t holder) {
  const TaskHistory& history = it.history.of(holder);
  if (!history.whole) return;
  const Event& submit = it.submit(task);
  const auto problem = [&] {
    return fmt::format("it takes {} of {}", what, text_of(it.record.tasks[holder].task));
  };
  if (!history.reclaim.has()) {
    it.findings.add(rule, problem() + ", which is never reclaimed", submit, it.submit(holder));
  } else if (it.event(history.reclaim.event).before > submit.t) {
    it.findings.add(rule, problem() + ", which is not reclaimed yet", submit,
                    it.event(history.reclaim.event));
  } else if (history.needed != no_index && is_late(it.event(history.needed), submit)) {
    it.findings.add(rule, problem() + ", which is still used", submit, it.event(history.needed));
  }
}

/// Ranges [begin, end) and who had them last.
class Holders {
 public:
  explicit Holders(std::pmr::memory_resource& memory) : ranges_(&memory) {}

  /// Calls visit(holder) for each who had a part of the range, which is `task`'s from now on.
  template <class Visitor>
  void take(uint64_t begin, uint64_t end, uint32_t task, Visitor&& visit) {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin()) --at;
    while (at != ranges_.end() && at->first < end) {
      const auto [first, range] = *at;
      if (range.end <= begin) {
        ++at;
        continue;
      }
      visit(range.task);
      at = ranges_.erase(at);
      if (first < begin) ranges_[first] = {begin, range.task};
      if (end < range.end) ranges_[end] = range;
    }
    ranges_[begin] = {end, task};
  }

 private:
  struct Range {
    uint64_t end;
    uint32_t task;
  };
  std::pmr::map<uint64_t, Range> ranges_;
};

class RingRules {
 public:
  RingRules(const Case& it, const RingRecord& ring, std::pmr::memory_resource& memory)
      : it_(it), ring_(ring), heap_(memory), nodes_(memory) {}

  void add(uint32_t task) {
    check_slot(task);
    check_heap(task);
    check_nodes(task);
  }

 private:
  /// VR-I13.
  void check_slot(uint32_t task) const {
    const TaskId name = it_.record.tasks[task].task;
    if (local_of(name) + 1 < ring_.window) return;
    const uint64_t former = local_of(name) + 1 - ring_.window;
    check_released(it_, "VR-I13", "the last free slot beside that", task,
                   it_.history.find(make_id(ring_of(name), former)));
  }

  /// VR-I14.
  void check_heap(uint32_t task) {
    const TaskRecord& submission = it_.record.tasks[task];
    const uint64_t begin = submission.heap_begin;
    const uint64_t bytes = submission.heap_bytes;
    if (begin > ring_.heap || bytes > ring_.heap - begin) {
      it_.findings.add("VR-I14",
                       fmt::format("its heap range of {} bytes from {} is not in the heap of {}",
                                   bytes, begin, ring_.heap),
                       it_.submit(task));
      return;
    }
    // Behind the one before it, or at the start where that is too near to the end.
    const uint64_t expected = bytes <= ring_.heap - heap_top_ ? heap_top_ : 0;
    if (begin != expected) {
      it_.findings.add("VR-I14",
                       fmt::format("its heap range of {} bytes begins at {}, and not at {}", bytes,
                                   begin, expected),
                       it_.submit(task));
    }
    heap_top_ = begin + bytes == ring_.heap ? 0 : begin + bytes;
    if (bytes == 0) return;
    heap_.take(begin, begin + bytes, task,
               [&](uint32_t holder) { check_released(it_, "VR-I14", "heap bytes", task, holder); });
  }

  /// VR-I15.
  void check_nodes(uint32_t task) {
    const TaskRecord& submission = it_.record.tasks[task];
    const uint64_t first = submission.first_node;
    const uint64_t count = submission.nodes;
    if (count != submission.producers.size() + submission.holds.size()) {
      it_.findings.add("VR-I15",
                       fmt::format("it has {} nodes, {} producers and {} holds", count,
                                   submission.producers.size(), submission.holds.size()),
                       it_.submit(task));
      return;
    }
    if (first < 1 || first > ring_.dep_pool || count > ring_.dep_pool) {
      it_.findings.add("VR-I15",
                       fmt::format("its {} nodes from {} are not in the pool of {}", count, first,
                                   ring_.dep_pool),
                       it_.submit(task));
      return;
    }
    if (first != next_node_) {
      it_.findings.add("VR-I15",
                       fmt::format("its nodes begin at {}, and not at {}", first, next_node_),
                       it_.submit(task));
    }
    next_node_ = (first - 1 + count) % ring_.dep_pool + 1;
    if (count == 0) return;
    const uint64_t before_end = std::min(count, ring_.dep_pool + 1 - first);
    take_nodes(first, before_end, task);
    if (before_end < count) take_nodes(1, count - before_end, task);
  }

  void take_nodes(uint64_t first, uint64_t count, uint32_t task) {
    nodes_.take(first, first + count, task, [&](uint32_t holder) {
      check_released(it_, "VR-I15", "dependency nodes", task, holder);
    });
  }

  const Case& it_;
  const RingRecord& ring_;
  uint64_t heap_top_ = 0;
  uint64_t next_node_ = 1;
  Holders heap_;
  Holders nodes_;
};

}  // namespace

void check_memory(const Case& it) {
  // Of the most tasks two ranges begin, one of the heap and one of nodes.
  constexpr std::size_t bytes_per_task = 128;
  std::pmr::monotonic_buffer_resource memory(bytes_per_task * it.record.tasks.size() + 1);
  for (uint32_t ring = 0; ring < it.record.rings.size(); ++ring) {
    RingRules rules(it, it.record.rings[ring], memory);
    for (const uint32_t task : it.history.rings()[ring]) rules.add(task);
  }
}

}  // namespace pto2::judging
