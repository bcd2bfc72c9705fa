#include "stress/graphs/census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <set>
#include <vector>

#include "runtime/orchestrator/deadlock_report.hpp"

namespace pto2::graphs {
namespace {

using Met = std::bitset<cases>;

/// What one program and one run of it show.
class Look {
 public:
  explicit Look(const Chip& chip) : chip_(chip) {}

  void program(const Program& program) {
    for (const Step& step : program.steps) {
      if (std::holds_alternative<ScopeBegin>(step)) ++depth_;
      if (std::holds_alternative<ScopeEnd>(step)) --depth_;
      if (std::holds_alternative<Allocate>(step)) depths_.push_back(depth_);
      if (const auto* free = std::get_if<Free>(&step)) {
        meet(Case::inner_free, depth_ > depths_[free->group]);
      }
      const auto* task = std::get_if<Submit>(&step);
      if (task == nullptr) continue;
      meet(Case::inner_submission, task->group && depth_ > depths_[*task->group]);
      meet_more_parts(*task);
    }
  }

  void pipe_use(const PipeUse& use) {
    meet(Case::pipes, true);
    meet(Case::pipe_of_two, use.before.waiting > 0 && use.popped > 0);
    meet(Case::pipe_full,
         static_cast<uint64_t>(use.after.waiting + use.after.held) == use.capacity);
  }

  void task(const TaskRecord& task) {
    block_dims_[task.task.value] = task.block_dim;
    meet(Case::block_tasks, task.block_dim > 1);
    meet(Case::single_parts, task.block_dim == 1);
    unpinned_ += task.block_dim == 0 ? 1 : 0;
  }

  /// Of the orchestrator.
  void event(const Event& event) {
    // A wait that ended in a cluster: the allocation is the next event.
    meet(Case::cluster_waits, waits_ && event.kind == EventKind::allocate);
    waits_ = event.lacking == Resource::clusters;
    switch (event.kind) {
      case EventKind::allocate:
        meet(Case::groups, true);
        meet(Case::cluster_again, !clusters_.insert(event.place).second);
        meet(Case::several_groups, ++open_ > 1);
        break;
      case EventKind::close:
        --open_;
        break;
      case EventKind::join:
        joined(event);
        break;
      case EventKind::leftover:
        meet(Case::pipe_leftovers, true);
        break;
      default:
        break;
    }
  }
  /// Of a scheduler: the completer of a group's last task gives the cluster back.
  void other_event(const Event& event) {
    meet(Case::closed_early, event.kind == EventKind::give_back);
    if (event.kind != EventKind::dispatch) return;
    meet(Case::ai_cpu_tasks, chip_.type_of(WorkerId(event.place)) == CoreType::ai_cpu);
    meet(Case::accelerator_tasks, chip_.type_of(WorkerId(event.place)) == CoreType::accelerator);
  }

  [[nodiscard]] Met result() {
    meet(Case::beside_unpinned, met(Case::pinned) && unpinned_ > pinned_);
    return met_;
  }

 private:
  void meet(Case which, bool is) {
    if (is) met_.set(static_cast<std::size_t>(which));
  }
  [[nodiscard]] bool met(Case which) const { return met_[static_cast<std::size_t>(which)]; }

  void meet_more_parts(const Submit& task) {
    const uint32_t cores =
        task.core == CoreType::ai_cpu ? chip_.schedulers : chip_.cores(task.core);
    meet(Case::more_parts, task.block_dim > cores);
  }

  void joined(const Event& event) {
    const bool part = block_dims_[event.task.value] != 0;
    meet(part ? Case::pinned_parts : Case::pinned, true);
    pinned_ += part ? 0 : 1;
    auto& groups = groups_[event.task.value];
    groups.insert(event.group);
    meet(Case::parts_on_clusters, groups.size() > 1);
  }

  const Chip& chip_;
  Met met_;
  int depth_ = 0;
  std::vector<int> depths_;  // by group
  bool waits_ = false;
  int open_ = 0;
  uint64_t pinned_ = 0;
  uint64_t unpinned_ = 0;  // those that are pinned included
  std::set<uint32_t> clusters_;
  std::map<uint64_t, uint64_t> block_dims_;
  std::map<uint64_t, std::set<uint64_t>> groups_;
};

}  // namespace

const char* name_of(Case which) {
  static constexpr std::array<const char*, cases> names{"groups",
                                                        "several groups at once",
                                                        "a cluster for a second group",
                                                        "waits for a cluster",
                                                        "clusters given back by schedulers",
                                                        "groups freed in inner scopes",
                                                        "groups joined from inner scopes",
                                                        "pinned tasks",
                                                        "pinned tasks beside others",
                                                        "block tasks",
                                                        "block tasks of one part",
                                                        "more parts than cores",
                                                        "pinned parts",
                                                        "parts of a task on several clusters",
                                                        "tasks with pipes",
                                                        "entries popped by another task",
                                                        "full pipes",
                                                        "entries left in pipes",
                                                        "tasks run by schedulers",
                                                        "tasks for accelerators"};
  return names[static_cast<std::size_t>(which)];
}

void Census::add(const Program& program, const Chip& chip, const RunResult& result) {
  Look look(chip);
  look.program(program);
  const Record& record = result.record;
  for (const TaskRecord& task : record.tasks) look.task(task);
  for (const Event& event : record.events) {
    event.thread == 0 ? look.event(event) : look.other_event(event);
    if (event.kind == EventKind::pipe) look.pipe_use(record.pipe_uses[event.place]);
  }
  const Met met = look.result();
  ++runs_;
  for (std::size_t i = 0; i < cases; ++i) counts_[i] += met[i] ? 1 : 0;
}

void Census::add(const Census& other) {
  runs_ += other.runs_;
  for (std::size_t i = 0; i < cases; ++i) counts_[i] += other.counts_[i];
}

std::string Census::text() const {
  std::string text;
  for (std::size_t i = 0; i < cases; ++i) {
    const double share =
        runs_ == 0 ? 0 : 100.0 * static_cast<double>(counts_[i]) / static_cast<double>(runs_);
    text += fmt::format("  {:<36} {:>8} of {} runs, {:.1f} %\n", name_of(static_cast<Case>(i)),
                        counts_[i], runs_, share);
  }
  return text;
}

}  // namespace pto2::graphs
