#include "runtime/device/group_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace pto2 {

namespace {

constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

class GroupRules {
 public:
  GroupRules(const RunHistory& history, const RunResult& result, bool ended_well)
      : history_(history),
        result_(result),
        ended_well_(ended_well),
        last_fin_(history.groups().size()) {}

  std::vector<std::string> judge() {
    check_calls();
    check_members();
    check_holders();
    return std::move(broken_);
  }

 private:
  template <class... Values>
  void report(fmt::format_string<Values...> text, Values&&... values) {
    broken_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  /// EV-I14: what the orchestrator did.
  void check_calls() {
    uint64_t groups = 0;
    std::vector<bool> closed(history_.groups().size());
    for (const Event& event : result_.events[0].events()) {
      if (event.kind == EventKind::allocate) {
        if (event.task.value != groups++) {
          report("EV-I14: group {} is allocated at {} out of turn", event.task.value, event.tick);
        }
        if (event.detail >= history_.clusters()) {
          report("EV-I14: group {} is allocated on cluster {} of {}", event.task.value,
                 event.detail, history_.clusters());
        }
      } else if (event.kind == EventKind::close) {
        check_close(event, groups, closed);
      } else if (event.kind == EventKind::join) {
        if (event.detail >= groups || closed[event.detail]) {
          report("EV-I14: a task joins group {} at {}, which is not open", event.detail,
                 event.tick);
        }
      }
    }
    const bool all = std::all_of(closed.begin(), closed.end(), [](bool done) { return done; });
    if (ended_well_ && !all) report("EV-I14: a group is never closed");
  }

  void check_close(const Event& event, uint64_t groups, std::vector<bool>& closed) {
    const uint64_t group = event.task.value;
    if (group >= groups || group >= closed.size() || closed[group] ||
        history_.groups()[group].cluster != event.detail) {
      return report("EV-I14: group {} is closed at {} on cluster {}, which it does not hold", group,
                    event.tick, event.detail);
    }
    closed[group] = true;
  }

  /// EV-I15, and when the tasks of each group have ended.
  void check_members() {
    for (const auto& ring : history_.rings()) {
      for (const TaskHistory& task : ring) {
        for (uint32_t i = 0; i < task.runs(); ++i) check_member(task.id, task.run(i));
      }
    }
  }

  void check_member(TaskId task, const PartHistory& part) {
    if (part.group < 0) return;
    uint64_t& last = last_fin_[static_cast<std::size_t>(part.group)];
    last = std::max(last, part.fin.times == 0 ? never : part.fin.event->tick);
    if (part.dispatch.times == 0) return;
    const uint32_t core = part.dispatch.event->detail;
    if (core >= history_.cores()) return;  // EV-I7
    if (history_.cluster_of_core(core) == history_.cluster_of(part)) return;
    report("EV-I15: task {} of ring {}, part {}, of group {} on cluster {}, is dispatched to {}",
           local_of(task), ring_of(task), part.dispatch.event->part, part.group,
           history_.cluster_of(part), result_.events[history_.thread_of_core(core)].thread());
  }

  /// EV-I14: a cluster after its former group. That it was given back is recorded late, and
  /// without the group's number.
  void check_holders() {
    std::vector<const GroupHistory*> holder(history_.clusters());
    std::vector<uint64_t> holders(history_.clusters());
    for (const GroupHistory& group : history_.groups()) {
      if (group.cluster >= holder.size()) continue;
      const GroupHistory*& former = holder[group.cluster];
      ++holders[group.cluster];
      if (former != nullptr && free_at(*former) > group.allocated->tick) {
        report("EV-I14: cluster {} is allocated to group {} at {}, while group {} holds it",
               group.cluster, number_of(group), group.allocated->tick, number_of(*former));
      }
      former = &group;
    }
    for (uint32_t cluster = 0; cluster < holders.size(); ++cluster) {
      check_given_back(cluster, holders[cluster], holder[cluster]);
    }
  }

  /// `groups` had the cluster, `last` is the last of them.
  void check_given_back(uint32_t cluster, uint64_t groups, const GroupHistory* last) {
    uint64_t times = 0;
    uint64_t latest = 0;
    for (const EventLog& log : result_.events) {
      for (const Event& event : log.events()) {
        if (event.kind != EventKind::give_back || event.detail != cluster) continue;
        ++times;
        latest = std::max(latest, event.tick);
      }
    }
    const bool held = !ended_well_ && times + 1 == groups;
    if (times != groups && !held) {
      report("EV-I14: cluster {} had {} groups, but is given back {} times", cluster, groups,
             times);
    } else if (times != 0 && times == groups && latest < free_at(*last)) {
      report("EV-I14: cluster {} is given back at {}, before group {} has ended", cluster, latest,
             number_of(*last));
    }
  }

  /// Not before this was the cluster of a group free again.
  [[nodiscard]] uint64_t free_at(const GroupHistory& group) const {
    return group.closed == nullptr ? never
                                   : std::max(group.closed->tick, last_fin_[number_of(group)]);
  }
  [[nodiscard]] std::size_t number_of(const GroupHistory& group) const {
    return static_cast<std::size_t>(&group - history_.groups().data());
  }

  const RunHistory& history_;
  const RunResult& result_;
  bool ended_well_;
  std::vector<uint64_t> last_fin_;  // by group
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_group_rules(const RunHistory& history, const RunResult& result,
                                            bool ended_well) {
  return GroupRules(history, result, ended_well).judge();
}

}  // namespace pto2
