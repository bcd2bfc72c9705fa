#include "runtime/device/idle_core_rule.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "runtime/chip/chip.hpp"

namespace pto2 {

namespace {

constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

class IdleCoreRule {
 public:
  IdleCoreRule(const RunHistory& history, const RunResult& result)
      : history_(history), result_(result) {}

  /// At each FIN, what was true just before it; ends where the rule is broken first.
  std::vector<std::string> at_every_fin() {
    const std::vector<Change> changes = changes_by_time();
    Counts counts(*this);
    for (std::size_t i = 0; i < changes.size();) {
      const uint64_t time = changes[i].time;
      std::size_t end = i;
      bool fin = false;
      for (; end < changes.size() && changes[end].time == time; ++end) fin |= changes[end].fin;
      for (uint32_t place = 0; fin && place < places(); ++place) {
        if (counts.idle_beside_ready(place)) report_fin(place, time);
      }
      if (!broken_.empty()) break;
      for (; i < end; ++i) counts.add(changes[i]);
    }
    return std::move(broken_);
  }

  /// Tasks that were ready for longer than `limit_ns` although they could have been dispatched.
  std::vector<std::string> beyond(uint64_t limit_ns) {
    const uint64_t end_of_run = first_exit();
    for (const auto& ring : history_.rings()) {
      for (const TaskHistory& task : ring) {
        if (!task.has(EventKind::ready) || task.type() >= core_types) continue;
        const uint64_t from = task.time(EventKind::ready, never);
        const uint64_t to = task.time(EventKind::dispatch, std::max(from, end_of_run));
        if (to < from || to - from <= limit_ns) continue;
        if (to - from - hosts_busy(from, to) > limit_ns) report_long_wait(task, from, to);
      }
    }
    return std::move(broken_);
  }

 private:
  /// How the numbers of ready tasks and of idle cores change.
  struct Change {
    uint64_t time;
    uint32_t wanted;  ///< the place that the task is ready for
    int32_t ready;
    uint32_t core;  ///< whose state changes, if `idle` says so
    int32_t idle;
    bool fin;
  };

  /// The numbers of ready tasks and of idle cores at one time, by place.
  class Counts {
   public:
    explicit Counts(const IdleCoreRule& rule)
        : rule_(rule),
          history_(rule.history_),
          ready_(rule.places()),
          idle_(history_.workers(), std::vector<int64_t>(rule.places())) {
      for (uint32_t core = 0; core < history_.workers(); ++core) add_idle(core, 1);
    }

    void add(const Change& change) {
      int64_t& ready = ready_[change.wanted];
      ready += change.ready;
      if (change.idle != 0) add_idle(change.core, change.idle);
      if (change.wanted >= core_types) return;  // a pinned task needs no room in a queue
      bool& backlog = backlog_[change.wanted];
      backlog = ready > (backlog ? 0 : history_.room(change.wanted));
    }

    /// True if a task is ready for the place and a core of it idle. A scheduler that runs a task
    /// itself serves neither its cores nor the backlog that it may have.
    [[nodiscard]] bool idle_beside_ready(uint32_t place) const {
      if (ready_[place] == 0) return false;
      bool idle = false;
      bool all_serve = true;
      for (uint32_t worker = history_.cores(); worker < history_.workers(); ++worker) {
        const bool serves = idle_[worker][static_cast<uint32_t>(CoreType::ai_cpu)] > 0;
        idle |= serves && idle_[worker][place] > 0;
        all_serve &= serves;
      }
      return idle && (all_serve || place >= core_types || !backlog_[place]);
    }

   private:
    void add_idle(uint32_t core, int64_t change) {
      std::vector<int64_t>& idle = idle_[history_.worker_beside(core)];
      const uint32_t type = history_.type_of_core(core);
      const uint32_t place = rule_.place_of_core(core);
      idle[type] += change;
      if (place != type) idle[place] += change;
    }

    const IdleCoreRule& rule_;
    const RunHistory& history_;
    std::vector<int64_t> ready_;
    std::array<bool, core_types> backlog_{};  // some of the ready tasks may have found no room
    std::vector<std::vector<int64_t>> idle_;  // by worker_beside()
  };

  /// What a task can be ready for: a core of a type, anywhere or in one cluster.
  [[nodiscard]] uint32_t places() const { return core_types * (1 + history_.clusters()); }
  static uint32_t place_of(int64_t cluster, uint32_t type) {
    return core_types * static_cast<uint32_t>(1 + cluster) + type;
  }
  [[nodiscard]] uint32_t place_of_core(uint32_t core) const {
    return place_of(history_.cluster_of_core(core), history_.type_of_core(core));
  }
  [[nodiscard]] uint32_t place_of_task(const TaskHistory& task) const {
    return place_of(history_.cluster_of(task), task.type());
  }

  std::vector<Change> changes_by_time() const {
    std::vector<Change> changes;
    for (const auto& ring : history_.rings()) {
      for (const TaskHistory& task : ring) {
        if (!task.has(EventKind::ready) || task.type() >= core_types) continue;
        const uint32_t wanted = place_of_task(task);
        const uint32_t core =
            task.has(EventKind::dispatch) ? task.of(EventKind::dispatch).event->detail : 0;
        if (core >= history_.workers() || wanted >= places()) continue;  // EV-I7, EV-I14
        const auto add = [&](EventKind kind, int32_t ready, int32_t idle) {
          if (!task.has(kind)) return;
          const bool fin = kind == EventKind::fin;
          changes.push_back({task.time(kind, never), wanted, ready, core, idle, fin});
        };
        add(EventKind::ready, 1, 0);
        add(EventKind::dispatch, -1, -1);
        add(EventKind::fin, 0, 1);
      }
    }
    for (uint32_t core = 0; core < history_.workers(); ++core) {
      changes.push_back({exit_of(core), place_of_core(core), 0, core, -1, false});
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.time < b.time; });
    return changes;
  }

  [[nodiscard]] uint64_t exit_of(uint32_t core) const {
    const auto& events = result_.events[history_.thread_of_core(core)].events();
    const bool exited = !events.empty() && events.back().kind == EventKind::exit;
    return exited ? events.back().tick : never;
  }
  [[nodiscard]] uint64_t first_exit() const {
    uint64_t first = never;
    for (uint32_t core = 0; core < history_.cores(); ++core) first = std::min(first, exit_of(core));
    return first == never ? 0 : first;
  }

  /// Whether the core had nothing to do from `from` to `to`, nor its scheduler as a core.
  [[nodiscard]] bool is_idle(uint32_t core, uint64_t from, uint64_t to) const {
    return is_free(core, from, to) && is_free(history_.worker_beside(core), from, to) &&
           exit_of(core) >= to;
  }
  [[nodiscard]] bool is_free(uint32_t core, uint64_t from, uint64_t to) const {
    for (const Event* dispatch : history_.dispatches(core)) {
      const TaskHistory* const task = history_.find(dispatch->task);
      const uint64_t fin = task == nullptr ? never : task->time(EventKind::fin, never);
      if (dispatch->tick < to && from < fin) return false;
    }
    return true;
  }

  /// An idle core that could run the task, or the number of workers if there is none.
  [[nodiscard]] uint32_t idle_core(const TaskHistory& task, uint64_t from, uint64_t to) const {
    const int64_t cluster = history_.cluster_of(task);
    const auto fits = [&](uint32_t core) {
      return history_.type_of_core(core) == task.type() &&
             (cluster == any_cluster || history_.cluster_of_core(core) == cluster);
    };
    uint32_t core = 0;
    while (core < history_.workers() && (!fits(core) || !is_idle(core, from, to))) ++core;
    return core;
  }

  /// The part of a time in which every host thread may have run a kernel or the orchestration, so
  /// that no scheduler could.
  [[nodiscard]] uint64_t hosts_busy(uint64_t from, uint64_t to) const {
    std::vector<std::pair<uint64_t, int>> changes;  // of the number of kernels that run
    for (const auto& ring : history_.rings()) {
      for (const TaskHistory& task : ring) {
        const uint64_t begin = std::max(from, task.time(EventKind::ack, never));
        const uint64_t end = std::min(to, task.time(EventKind::fin, never));
        if (begin >= end) continue;
        changes.emplace_back(begin, 1);
        changes.emplace_back(end, -1);
      }
    }
    std::sort(changes.begin(), changes.end());
    uint64_t busy = 0;
    uint64_t since = from;
    int64_t running = 1;  // the orchestration
    changes.emplace_back(to, 0);
    for (const auto& [time, change] : changes) {
      if (running >= static_cast<int64_t>(result_.host_threads)) busy += time - since;
      since = time;
      running += change;
    }
    return busy;
  }

  void report_fin(uint32_t place, uint64_t time) {
    for (const auto& ring : history_.rings()) {
      for (const TaskHistory& task : ring) {
        const bool waits = task.has(EventKind::ready) && place_of_task(task) == place &&
                           task.time(EventKind::ready, never) < time &&
                           task.time(EventKind::dispatch, never) >= time;
        if (!waits) continue;
        const uint32_t core = idle_core(task, time - 1, time);
        broken_.push_back(fmt::format(
            "EV-I12: task {} of ring {} is ready since {}, {} is idle, and at {}, when a kernel "
            "ends, nobody is about to dispatch it",
            local_of(task.id), ring_of(task.id), task.time(EventKind::ready, never),
            core < history_.workers() ? result_.events[history_.thread_of_core(core)].thread()
                                      : "a core",
            time));
        return;
      }
    }
  }

  void report_long_wait(const TaskHistory& task, uint64_t from, uint64_t to) {
    const uint32_t core = idle_core(task, from, to);
    if (core == history_.workers()) return;
    broken_.push_back(fmt::format(
        "EV-I12: task {} of ring {} is ready from {} to {}, and {} is idle all this time",
        local_of(task.id), ring_of(task.id), from, to,
        result_.events[history_.thread_of_core(core)].thread()));
  }

  const RunHistory& history_;
  const RunResult& result_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> idle_cores_beside_ready_tasks(const RunHistory& history,
                                                       const RunResult& result, uint64_t limit_ns) {
  if (result.kernels_last) return IdleCoreRule(history, result).at_every_fin();
  const bool seeded = result.points != 0;
  return seeded ? std::vector<std::string>() : IdleCoreRule(history, result).beyond(limit_ns);
}

}  // namespace pto2
