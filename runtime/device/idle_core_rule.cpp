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
    for_each_ready([&](const TaskHistory& task, const PartHistory& run) {
      const uint64_t from = task.time(EventKind::ready, never);
      const uint64_t to =
          run.dispatch.times == 0 ? std::max(from, end_of_run) : tick_of(run.dispatch);
      if (to < from || to - from <= limit_ns) return;
      if (to - from - hosts_busy(from, to) > limit_ns) report_long_wait(task, run, from, to);
    });
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
    bool handed_on = false;  ///< a part whose ticket goes from scheduler to scheduler
  };

  /// The numbers of ready tasks and of idle cores at one time, by place.
  class Counts {
   public:
    explicit Counts(const IdleCoreRule& rule)
        : rule_(rule),
          history_(rule.history_),
          ready_(rule.places()),
          handed_on_(rule.places()),
          idle_(history_.workers(), std::vector<int64_t>(rule.places())) {
      for (uint32_t core = 0; core < history_.workers(); ++core) add_idle(core, 1);
    }

    void add(const Change& change) {
      int64_t& ready = ready_[change.wanted];
      ready += change.ready;
      if (change.handed_on) handed_on_[change.wanted] += change.ready;
      if (change.idle != 0) add_idle(change.core, change.idle);
      if (change.wanted >= core_types) return;  // a pinned task needs no room in a queue
      bool& backlog = backlog_[change.wanted];
      backlog = ready > (backlog ? 0 : history_.room(change.wanted));
    }

    /// True if a task is ready for the place and a core of it idle. A scheduler that runs a task
    /// itself serves neither its cores nor the backlog and the tickets that it may have.
    [[nodiscard]] bool idle_beside_ready(uint32_t place) const {
      bool idle = false;
      bool all_serve = true;
      for (uint32_t worker = history_.cores(); worker < history_.workers(); ++worker) {
        const bool serves = idle_[worker][static_cast<uint32_t>(CoreType::ai_cpu)] > 0;
        idle |= serves && idle_[worker][place] > 0;
        all_serve &= serves;
      }
      if (!idle || ready_[place] == 0) return false;
      if (all_serve) return true;
      return place >= core_types ? ready_[place] != handed_on_[place] : !backlog_[place];
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
    std::vector<int64_t> handed_on_;          // of those
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
  [[nodiscard]] uint32_t place_of_run(const TaskHistory& task, const PartHistory& run) const {
    return place_of(history_.cluster_of(run), task.type());
  }

  void add_run(const TaskHistory& task, const PartHistory& run,
               std::vector<Change>& changes) const {
    const uint32_t wanted = place_of_run(task, run);
    const uint32_t core = run.dispatch.times != 0 ? run.dispatch.event->detail : 0;
    if (core >= history_.workers() || wanted >= places()) return;  // EV-I7, EV-I14
    const bool handed_on = is_handed_on(task);
    changes.push_back({task.time(EventKind::ready, never), wanted, 1, core, 0, false, handed_on});
    if (run.dispatch.times != 0) {
      changes.push_back({tick_of(run.dispatch), wanted, -1, core, -1, false, handed_on});
    }
    if (run.fin.times != 0) changes.push_back({tick_of(run.fin), wanted, 0, core, 1, true});
  }

  /// Whether parts of the task are pinned to clusters of several schedulers.
  [[nodiscard]] bool is_handed_on(const TaskHistory& task) const {
    const auto scheduler_of = [&](const PartHistory& part) {
      return history_.scheduler_of_cluster(history_.cluster_of(part));
    };
    return std::any_of(task.parts.begin(), task.parts.end(), [&](const PartHistory& part) {
      return part.group >= 0 && scheduler_of(part) != scheduler_of(task.parts.front());
    });
  }

  std::vector<Change> changes_by_time() const {
    std::vector<Change> changes;
    for_each_ready(
        [&](const TaskHistory& task, const PartHistory& run) { add_run(task, run, changes); });
    for (uint32_t core = 0; core < history_.workers(); ++core) {
      changes.push_back({end_of(core), place_of_core(core), 0, core, -1, false});
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.time < b.time; });
    return changes;
  }

  [[nodiscard]] static uint64_t tick_of(const Moment& moment) {
    return moment.times == 0 ? never : moment.event->tick;
  }

  /// Calls visit(task, run) for each run of the kernel of a task that became ready.
  template <class Visitor>
  void for_each_ready(Visitor&& visit) const {
    for (const auto& ring : history_.rings()) {
      for (const TaskHistory& task : ring) {
        if (!task.has(EventKind::ready) || task.type() >= core_types) continue;
        for (uint32_t i = 0; i < task.runs(); ++i) visit(task, task.run(i));
      }
    }
  }

  [[nodiscard]] uint64_t exit_of(uint32_t core) const {
    return exit_of_thread(history_.thread_of_core(core));
  }
  /// From when on a core or a scheduler takes nothing. A scheduler waits for its cores to leave, in
  /// a run that was given up for the last kernels of them, but not before the orchestrator does.
  [[nodiscard]] uint64_t end_of(uint32_t worker) const {
    return worker < history_.cores() ? exit_of(worker)
                                     : std::min(exit_of(worker), exit_of_thread(0));
  }
  [[nodiscard]] uint64_t exit_of_thread(uint32_t thread) const {
    const auto& events = result_.events[thread].events();
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
      const uint64_t fin = task == nullptr || dispatch->part >= task->runs()
                               ? never
                               : tick_of(task->run(dispatch->part).fin);
      if (dispatch->tick < to && from < fin) return false;
    }
    return true;
  }

  /// An idle core that could run the task, or the number of workers if there is none.
  [[nodiscard]] uint32_t idle_core(const TaskHistory& task, const PartHistory& run, uint64_t from,
                                   uint64_t to) const {
    const int64_t cluster = history_.cluster_of(run);
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
        for (uint32_t i = 0; i < task.runs(); ++i) {
          const PartHistory run = task.run(i);
          const uint64_t begin = std::max(from, tick_of(run.ack));
          const uint64_t end = std::min(to, tick_of(run.fin));
          if (begin >= end) continue;
          changes.emplace_back(begin, 1);
          changes.emplace_back(end, -1);
        }
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
    for_each_ready([&](const TaskHistory& task, const PartHistory& run) {
      const uint64_t ready = task.time(EventKind::ready, never);
      const bool waits = place_of_run(task, run) == place && ready < time &&
                         (run.dispatch.times == 0 || tick_of(run.dispatch) >= time);
      if (!waits || !broken_.empty()) return;
      const uint32_t core = idle_core(task, run, time - 1, time);
      broken_.push_back(fmt::format(
          "EV-I12: task {} of ring {} is ready since {}, {} is idle, and at {}, when a kernel "
          "ends, nobody is about to dispatch it",
          local_of(task.id), ring_of(task.id), ready,
          core < history_.workers() ? result_.events[history_.thread_of_core(core)].thread()
                                    : "a core",
          time));
    });
  }

  void report_long_wait(const TaskHistory& task, const PartHistory& run, uint64_t from,
                        uint64_t to) {
    const uint32_t core = idle_core(task, run, from, to);
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
