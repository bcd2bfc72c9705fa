#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <ranges>

#include "runtime/judge/rules.hpp"
#include "runtime/record/outcome.hpp"

namespace pto2::judging {
namespace {

constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

/// One run of a kernel, of a task that became ready.
struct Run {
  uint32_t task;
  uint64_t ready;
  const Event* dispatch;  ///< null: it was not
  const Event* ack;
  const Event* fin;
  int64_t cluster;  ///< where it is pinned; -1: nowhere
  uint32_t type;
  bool handed_on;  ///< a part whose ticket goes from scheduler to scheduler
};

uint64_t time_of(const Event* event) {
  return event == nullptr ? never : event->t;
}

/// When every host thread may have run a kernel or the orchestration, so that no scheduler could.
class BusyHosts {
 public:
  BusyHosts(const Case& it, std::span<const Run> runs) {
    std::vector<std::pair<uint64_t, int>> changes;  // of the number of those that run
    changes.reserve(2 * runs.size());
    for (const Run& run : runs) {
      if (time_of(run.ack) < time_of(run.fin)) {
        changes.emplace_back(run.ack->t, 1);
        changes.emplace_back(time_of(run.fin), -1);
      }
    }
    add_orchestration(it, changes);
    std::ranges::sort(changes);
    const auto hosts = static_cast<int64_t>(it.record.counts->host_threads);
    int64_t running = 0;
    for (const auto& [time, change] : changes) {
      const uint64_t before = until(time);
      running += change;
      pieces_.push_back({time, before, running >= hosts});
    }
  }

  /// How much of the time.
  [[nodiscard]] uint64_t between(uint64_t from, uint64_t to) const {
    return until(to) - until(from);
  }

 private:
  /// Of the time, up to the begin of the next.
  struct Piece {
    uint64_t begin;
    uint64_t before;  ///< how much of the time before it
    bool busy;
  };

  /// The orchestration runs but while it waits for what it then takes, and from the last wait on,
  /// behind which the orchestrator has only to leave. A run that was given up leaves other waits
  /// behind, from which the orchestration may go on for long without an event.
  static void add_orchestration(const Case& it, std::vector<std::pair<uint64_t, int>>& changes) {
    changes.emplace_back(0, 1);
    const Event* wait = nullptr;  // since which there was nothing else
    const Event* last = nullptr;  // wait
    for (const uint32_t number : it.history.of_orchestration()) {
      const Event& event = it.event(number);
      if (!it.is_of_the_orchestrator(event)) continue;
      if (wait != nullptr && wait->lacking && takes(event)) {
        changes.emplace_back(wait->t, -1);
        changes.emplace_back(event.t, 1);
      }
      wait = event.kind == EventKind::wait ? &event : nullptr;
      if (wait != nullptr) last = wait;
      if (event.kind != EventKind::exit) continue;
      changes.emplace_back(last == nullptr || last->lacking ? event.t : last->t, -1);
      return;
    }
  }
  static bool takes(const Event& event) {
    return event.kind == EventKind::submit || event.kind == EventKind::allocate ||
           event.kind == EventKind::leftover;
  }

  [[nodiscard]] uint64_t until(uint64_t time) const {
    const auto next = std::ranges::upper_bound(pieces_, time, {}, &Piece::begin);
    if (next == pieces_.begin()) return 0;
    const Piece& piece = *std::prev(next);
    return piece.before + (piece.busy ? time - piece.begin : 0);
  }

  std::vector<Piece> pieces_;
};

/// What a core was given, until it had finished.
struct Shift {
  uint64_t begin;
  uint64_t end;
  friend auto operator<=>(const Shift&, const Shift&) = default;
};

/// VR-I36. What can be waited for is a place: the cores of one type, anywhere or in one cluster.
class IdleCores {
 public:
  explicit IdleCores(const Case& it)
      : it_(it),
        types_(static_cast<uint32_t>(it.record.types.size())),
        exits_(it.record.threads.size(), never),
        kept_(it.record.tasks.size()),
        owners_(it.record.tasks.size()),
        shifts_(it.record.cores.size()) {
    for (const uint32_t exit : it.history.of_kind(EventKind::exit)) {
      exits_[it.event(exit).thread] = it.event(exit).t;
    }
    const auto orchestrator = std::ranges::find(it.record.roles, Role::orchestrator);
    if (orchestrator != it.record.roles.end()) {
      orchestration_end_ = exits_[static_cast<std::size_t>(orchestrator - it.record.roles.begin())];
    }
    for (const uint32_t kept : it.history.of_kind(EventKind::backlog)) keep(it.event(kept));
    for (uint32_t core = 0; core < cores(); ++core) {
      servers_.push_back(server_of(it.record.cores[core].scheduler));
      if (servers_[core] == core) serving_.push_back(core);
    }
    for (uint32_t task = 0; task < it.record.tasks.size(); ++task) add_runs(task);
    for (std::vector<Shift>& of_core : shifts_) std::ranges::sort(of_core);
  }

  /// Of a simulation in which a kernel ends when all others wait: at each FIN, what was true just
  /// before it; ends where the rule is broken first.
  void check_every_fin() {
    const std::vector<Change> changes = changes_by_time();
    Numbers numbers(*this);
    for (std::size_t i = 0; i < changes.size();) {
      const uint64_t time = changes[i].time;
      std::size_t end = i;
      bool fin = false;
      for (; end < changes.size() && changes[end].time == time; ++end) fin |= changes[end].fin;
      for (uint32_t place = 0; fin && place < places(); ++place) {
        if (numbers.idle_beside_ready(place)) return report_fin(place, time);
      }
      for (; i < end; ++i) numbers.add(changes[i]);
    }
  }

  /// Tasks that were ready for longer than `limit` ns although they could have been dispatched.
  void check_long_waits(uint64_t limit) {
    uint64_t first_exit = never;
    for (const CoreRecord& core : it_.record.cores) {
      first_exit = std::min(first_exit, exits_[core.thread]);
    }
    if (first_exit == never) first_exit = 0;
    // A scheduler that has given the run up leaves behind its cores, all of which may be busy.
    first_exit = std::min(first_exit, orchestration_end_);
    const BusyHosts hosts(it_, runs_);
    for (const Run& run : runs_) {
      const uint64_t to =
          run.dispatch == nullptr ? std::max(run.ready, first_exit) : run.dispatch->t;
      if (to < run.ready || to - run.ready <= limit || is_unserved(run, to)) continue;
      if (to - run.ready - hosts.between(run.ready, to) > limit) report_long_wait(run, to);
    }
  }

 private:
  /// How the numbers of ready tasks and of idle cores change.
  struct Change {
    uint64_t time;
    uint32_t wanted;  ///< the place that the task is ready for
    int32_t ready;
    uint32_t core;  ///< whose state changes, if `idle` or `kept` says so
    int32_t idle;
    bool fin;
    bool handed_on = false;
    int32_t kept = 0;  ///< in the backlog of the scheduler that is this core
  };

  /// The numbers of ready tasks and of idle cores at one time, by place.
  class Numbers {
   public:
    explicit Numbers(const IdleCores& rule)
        : rule_(rule),
          ready_(rule.places()),
          handed_on_(rule.places()),
          kept_(rule.cores(), std::vector<int64_t>(rule.places())),
          idle_(rule.cores(), std::vector<int64_t>(rule.places())) {
      for (uint32_t core = 0; core < rule.cores(); ++core) add_idle(core, 1);
    }

    void add(const Change& change) {
      ready_[change.wanted] += change.ready;
      if (change.handed_on) handed_on_[change.wanted] += change.ready;
      if (change.kept != 0) kept_[change.core][change.wanted] += change.kept;
      if (change.idle != 0) add_idle(change.core, change.idle);
    }

    /// True if a task is ready for the place and a core of it idle. A scheduler that runs a task
    /// itself serves neither its cores nor its backlog and the tickets that it may have.
    [[nodiscard]] bool idle_beside_ready(uint32_t place) const {
      bool idle = false;
      bool all_serve = true;
      int64_t unserved = 0;  // ready tasks
      for (const uint32_t core : rule_.serving_) {
        const bool serves = idle_[core][rule_.it_.record.cores[core].type] > 0;
        idle |= serves && idle_[core][place] > 0;
        all_serve &= serves;
        if (!serves) unserved += kept_[core][place];
      }
      if (!all_serve) unserved += handed_on_[place];
      return idle && ready_[place] > unserved;
    }

   private:
    void add_idle(uint32_t core, int64_t change) {
      std::vector<int64_t>& idle = idle_[rule_.servers_[core]];
      const uint32_t type = rule_.it_.record.cores[core].type;
      const uint32_t place = rule_.place_of_core(core);
      idle[type] += change;
      if (place != type) idle[place] += change;
    }

    const IdleCores& rule_;
    std::vector<int64_t> ready_;
    std::vector<int64_t> handed_on_;          // of those
    std::vector<std::vector<int64_t>> kept_;  // of those, by the core that is their scheduler
    std::vector<std::vector<int64_t>> idle_;  // by the same
  };

  [[nodiscard]] uint32_t cores() const { return static_cast<uint32_t>(it_.record.cores.size()); }
  [[nodiscard]] uint32_t places() const {
    return types_ * (1 + static_cast<uint32_t>(it_.record.clusters));
  }
  [[nodiscard]] uint32_t place_of(int64_t cluster, uint32_t type) const {
    return types_ * static_cast<uint32_t>(1 + cluster) + type;
  }
  [[nodiscard]] uint32_t place_of_core(uint32_t core) const {
    return place_of(it_.record.cores[core].cluster, it_.record.cores[core].type);
  }
  /// A scheduler, as the core that it is for the tasks that it runs itself.
  [[nodiscard]] uint32_t server_of(uint32_t scheduler) const {
    const auto server = std::ranges::find(it_.record.cores, scheduler, &CoreRecord::thread);
    return static_cast<uint32_t>(server - it_.record.cores.begin());
  }
  [[nodiscard]] uint32_t scheduler_of_cluster(int64_t cluster) const {
    return std::ranges::find(it_.record.cores, cluster, &CoreRecord::cluster)->scheduler;
  }

  [[nodiscard]] const Event* event_of(const Moment& moment) const {
    return moment.has() ? &it_.event(moment.event) : nullptr;
  }
  [[nodiscard]] int64_t cluster_of(const PartHistory& part) const {
    return part.join == no_index ? -1 : int64_t{it_.event(part.join).place};
  }

  void keep(const Event& event) {
    const uint32_t task = it_.history.find(event.task);
    const bool by_scheduler = it_.record.roles[event.thread] == Role::scheduler;
    if (task != no_index && by_scheduler) kept_[task].push_back(&event);
  }

  void add_runs(uint32_t task) {
    const TaskHistory& history = it_.history.of(task);
    if (!history.whole || !history.ready.has()) return;
    const std::span<const PartHistory> parts = it_.history.parts(task);
    for (const PartHistory& part : parts) add_owner(task, cluster_of(part));
    const bool handed_on = owners_[task].size() > 1;
    for (const PartHistory& part : parts) {
      runs_.push_back({task, it_.event(history.ready.event).t, event_of(part.dispatch),
                       event_of(part.ack), event_of(part.fin), cluster_of(part),
                       it_.record.tasks[task].type, handed_on});
      const Run& run = runs_.back();
      if (run.dispatch == nullptr) continue;
      shifts_[run.dispatch->place].push_back({run.dispatch->t, time_of(run.fin)});
    }
  }

  void add_owner(uint32_t task, int64_t cluster) {
    if (cluster == -1) return;
    const uint32_t owner = server_of(scheduler_of_cluster(cluster));
    std::vector<uint32_t>& owners = owners_[task];
    if (std::ranges::find(owners, owner) == owners.end()) owners.push_back(owner);
  }

  /// From when on a core or a scheduler takes nothing. A scheduler waits for its cores to leave, in
  /// a run that was given up for the last kernels of them, but not before the orchestrator does.
  [[nodiscard]] uint64_t end_of(uint32_t core) const {
    const uint64_t exit = exits_[it_.record.cores[core].thread];
    return servers_[core] == core ? std::min(exit, orchestration_end_) : exit;
  }

  [[nodiscard]] std::vector<Change> changes_by_time() const {
    std::vector<Change> changes;
    changes.reserve(3 * runs_.size() + cores());
    for (const Run& run : runs_) {
      const uint32_t wanted = place_of(run.cluster, run.type);
      const uint32_t core = run.dispatch == nullptr ? 0 : run.dispatch->place;
      changes.push_back({run.ready, wanted, 1, core, 0, false, run.handed_on});
      if (run.dispatch != nullptr) {
        changes.push_back({run.dispatch->t, wanted, -1, core, -1, false, run.handed_on});
      }
      if (run.fin != nullptr) changes.push_back({run.fin->t, wanted, 0, core, 1, true});
      add_kept(run, wanted, changes);
    }
    for (uint32_t core = 0; core < cores(); ++core) {
      changes.push_back({end_of(core), place_of_core(core), 0, core, -1, false});
    }
    std::ranges::stable_sort(changes, {}, &Change::time);
    return changes;
  }

  /// A task is in one backlog at a time, and in none once it is dispatched.
  void add_kept(const Run& run, uint32_t wanted, std::vector<Change>& changes) const {
    uint64_t to = time_of(run.dispatch);
    for (const Event* kept : kept_[run.task] | std::views::reverse) {
      const uint32_t keeper = server_of(kept->thread);
      if (kept->t < to) {
        changes.push_back({kept->t, wanted, 0, keeper, 0, false, false, 1});
        changes.push_back({to, wanted, 0, keeper, 0, false, false, -1});
      }
      to = std::min(to, kept->t);
    }
  }
  /// Whether a scheduler ran a task itself while it may have had this one in its backlog, or its
  /// ticket.
  [[nodiscard]] bool is_unserved(const Run& run, uint64_t to) const {
    const auto is_busy = [&](uint32_t owner) { return !is_free(owner, run.ready, to); };
    if (std::ranges::any_of(owners_[run.task], is_busy)) return true;
    return std::ranges::any_of(kept_[run.task], [&](const Event* kept) {
      return !is_free(server_of(kept->thread), kept->t, to);
    });
  }

  /// Whether the core had nothing to do from `from` to `to`, nor its scheduler as a core.
  [[nodiscard]] bool is_idle(uint32_t core, uint64_t from, uint64_t to) const {
    return is_free(core, from, to) && is_free(servers_[core], from, to) &&
           exits_[it_.record.cores[core].thread] >= to;
  }
  [[nodiscard]] bool is_free(uint32_t core, uint64_t from, uint64_t to) const {
    const auto later = std::ranges::lower_bound(shifts_[core], to, {}, &Shift::begin);
    return later == shifts_[core].begin() || std::prev(later)->end <= from;
  }
  /// An idle core that could run it, or the number of cores if there is none.
  [[nodiscard]] uint32_t idle_core(const Run& run, uint64_t from, uint64_t to) const {
    const auto fits = [&](const CoreRecord& core) {
      return core.type == run.type && (run.cluster == -1 || core.cluster == run.cluster);
    };
    uint32_t core = 0;
    while (core < cores() && (!fits(it_.record.cores[core]) || !is_idle(core, from, to))) ++core;
    return core;
  }

  void report_fin(uint32_t place, uint64_t time) {
    const auto waits = std::ranges::find_if(runs_, [&](const Run& run) {
      return place_of(run.cluster, run.type) == place && run.ready < time &&
             time_of(run.dispatch) >= time;
    });
    const uint32_t core = idle_core(*waits, time - 1, time);
    refuse(*waits, core,
           fmt::format("and at {}, when a kernel ends, nobody is about to dispatch it", time));
  }

  void report_long_wait(const Run& run, uint64_t to) {
    const uint32_t core = idle_core(run, run.ready, to);
    if (core != cores()) refuse(run, core, fmt::format("all the time until {}", to));
  }

  void refuse(const Run& run, uint32_t core, const std::string& when) {
    const Event& ready = it_.event(it_.history.of(run.task).ready.event);
    it_.findings.add("VR-I36",
                     fmt::format("it is ready, {} is idle, {}",
                                 core < cores() ? it_.record.cores[core].name : "a core", when),
                     ready);
  }

  const Case& it_;
  uint32_t types_;
  std::vector<uint64_t> exits_;                  // by thread
  uint64_t orchestration_end_ = never;           // of them, the orchestrator's
  std::vector<uint32_t> servers_;                // by core: its scheduler, as a core
  std::vector<uint32_t> serving_;                // cores that are schedulers
  std::vector<std::vector<const Event*>> kept_;  // by task: when a scheduler put it in its backlog
  std::vector<std::vector<uint32_t>> owners_;    // by task: the servers of its parts' clusters
  std::vector<Run> runs_;
  std::vector<std::vector<Shift>> shifts_;  // by core, in the order of their times
};

}  // namespace

void check_idle_cores(const Case& it, std::optional<uint64_t> idle_limit) {
  // A lost core may have been lent a block task, for whose parts nobody else is woken then.
  const bool has_lost_core = it.record.error == error_name(ErrorCode::core_lost);
  if (!it.record.counts || has_lost_core) return;
  if (it.record.manner.kernels_last) IdleCores(it).check_every_fin();
  if (!it.record.points && idle_limit) IdleCores(it).check_long_waits(*idle_limit);
}

}  // namespace pto2::judging
