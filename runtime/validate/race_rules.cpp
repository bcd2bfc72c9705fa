#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "runtime/validate/overlap.hpp"
#include "runtime/validate/rules.hpp"

namespace pto2::validation {
namespace {

struct Access {
  uint32_t task;
  const Param* param;
};

/// Accesses to one memory by their first byte.
class Accesses {
 public:
  void add(const Access& access) {
    const uint64_t begin = access.param->begin();
    longest_ = std::max(longest_, access.param->end() - begin);
    by_begin_.emplace(begin, access);
  }

  /// Calls visit(access) for those that share a byte; one for which it is true is forgotten.
  template <class Visitor>
  void visit_overlapping(const Param& param, Visitor&& visit) {
    const uint64_t begin = param.begin();
    auto at = by_begin_.lower_bound(begin < longest_ ? 0 : begin - longest_);
    const auto end = by_begin_.lower_bound(param.end());
    while (at != end) {
      const bool forget = share_bytes(*at->second.param, param) && visit(at->second);
      at = forget ? by_begin_.erase(at) : std::next(at);
    }
  }

 private:
  std::multimap<uint64_t, Access> by_begin_;
  uint64_t longest_ = 0;
};

struct Memory {
  Accesses reads;
  Accesses writes;
};

/// An older access that a new one must be ordered after.
struct Conflict {
  uint32_t task;
  bool tracked;  ///< the older one writes what the new one reads: the runtime orders these
  const Param* older;
  const Param* newer;
};

class Races {
 public:
  explicit Races(const Case& it)
      : it_(it), before_(it.trace.submissions.size()), seen_(before_.size(), no_index) {}

  void check() {
    for (uint32_t task = 0; task < before_.size(); ++task) {
      for (const Producer& producer : it_.trace.submissions[task].producers) {
        const uint32_t found = it_.history.find(producer.task);
        if (found < task) before_[task].push_back(found);
      }
      find_conflicts(task);
      judge(task);
      remember(task);
    }
  }

 private:
  /// External memory by its number, buffers of the runtime by their owner.
  Memory& memory_of(const Param& param) {
    const uint64_t owner = param.external ? 0 : it_.history.find(param.owner);
    return memories_[{param.external ? param.memory : owner, param.external}];
  }

  void find_conflicts(uint32_t task) {
    conflicts_.clear();
    for (const Param& param : it_.trace.submissions[task].params) {
      if (param.direction == Direction::none) continue;
      Memory& memory = memory_of(param);
      memory.writes.visit_overlapping(param, [&](const Access& access) {
        conflicts_.push_back({access.task, param.reads(), access.param, &param});
        return false;
      });
      if (!param.writes()) continue;
      memory.reads.visit_overlapping(param, [&](const Access& access) {
        conflicts_.push_back({access.task, false, access.param, &param});
        return false;
      });
    }
  }

  void judge(uint32_t task) {
    drop_ordered(task);
    // A writer that was reclaimed when its reader was submitted has finished, which takes no edge.
    std::erase_if(conflicts_, [&](const Conflict& conflict) {
      const bool retired = conflict.tracked && was_reclaimed(conflict.task, task);
      if (retired) before_[task].push_back(conflict.task);
      return retired;
    });
    drop_ordered(task);
    for (const Conflict& conflict : conflicts_) {
      it_.findings.add("VR-I23",
                       fmt::format("{} bytes that {} {} without order",
                                   conflict.newer->writes() ? "writes" : "reads",
                                   text_of(it_.trace.submissions[conflict.task].task),
                                   conflict.older->writes() ? "writes" : "reads"),
                       it_.submit(task), it_.submit(conflict.task));
    }
  }

  [[nodiscard]] bool was_reclaimed(uint32_t older, uint32_t task) const {
    const Moment& reclaim = it_.history.of(older).reclaim;
    return reclaim.has() && it_.event(reclaim.event).before <= it_.submit(task).t;
  }

  /// Forgets the conflicts with tasks from which a path leads to this one.
  void drop_ordered(uint32_t task) {
    if (conflicts_.empty()) return;
    const uint32_t lowest = std::ranges::min(conflicts_, {}, &Conflict::task).task;
    std::vector<uint32_t> open{task};
    ++round_;
    while (!open.empty()) {
      const uint32_t from = open.back();
      open.pop_back();
      for (const uint32_t before : before_[from]) {
        if (before < lowest || seen_[before] == round_) continue;
        seen_[before] = round_;
        open.push_back(before);
      }
    }
    std::erase_if(conflicts_,
                  [&](const Conflict& conflict) { return seen_[conflict.task] == round_; });
  }

  /// A write in one piece takes the place of what it covers: whoever meets that meets the write.
  void remember(uint32_t task) {
    for (const Param& param : it_.trace.submissions[task].params) {
      if (param.direction == Direction::none) continue;
      Memory& memory = memory_of(param);
      if (param.writes()) {
        const auto is_covered = [&](const Access& access) {
          return is_in_one_piece(param) && param.begin() <= access.param->begin() &&
                 access.param->end() <= param.end();
        };
        memory.writes.visit_overlapping(param, is_covered);
        memory.reads.visit_overlapping(param, is_covered);
        memory.writes.add({task, &param});
      } else {
        memory.reads.add({task, &param});
      }
    }
  }

  static bool is_in_one_piece(const Param& param) {
    uint64_t elements = 1;
    for (uint32_t i = 0; i < param.dims; ++i) elements *= param.extent[i];
    return elements * param.element == param.end() - param.begin();
  }

  const Case& it_;
  std::map<std::pair<uint64_t, bool>, Memory> memories_;
  std::vector<std::vector<uint32_t>> before_;  // tasks that each is directly ordered after
  std::vector<uint32_t> seen_;                 // the round in which a task was met
  uint32_t round_ = 0;
  std::vector<Conflict> conflicts_;
};

}  // namespace

void check_races(const Case& it) {
  Races(it).check();
}

}  // namespace pto2::validation
