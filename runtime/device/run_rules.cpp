#include "runtime/device/run_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/chip/chip.hpp"
#include "runtime/device/group_rules.hpp"
#include "runtime/device/idle_core_rule.hpp"
#include "runtime/device/run_history.hpp"
#include "runtime/device/thread_names.hpp"
#include "runtime/orchestrator/deadlock_report.hpp"

namespace pto2 {

namespace {

constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

/// What is broken: the first few texts, and how many there are.
class Findings {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    add_text(fmt::format(text, std::forward<Values>(values)...));
  }
  void add_text(std::string text) {
    constexpr std::size_t most = 20;
    if (texts_.size() < most) {
      texts_.push_back(std::move(text));
    } else {
      ++more_;
    }
  }
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  std::vector<std::string> take() {
    if (more_ != 0) texts_.push_back(fmt::format("and {} more", more_));
    return std::move(texts_);
  }

 private:
  std::vector<std::string> texts_;
  uint64_t more_ = 0;
};

/// EV-I1. Without it the other rules would judge at random.
void check_logs(const DeviceConfig& config, const RunResult& result, Findings& findings) {
  std::vector<std::string> names{orchestrator_name};
  const Chip& chip = config.chip;
  for (uint32_t s = 0; s < chip.schedulers; ++s) names.push_back(scheduler_name(s));
  for (uint32_t c = 0; c < chip.cores(); ++c) names.push_back(chip.core_name(c));
  if (result.events.size() != names.size()) {
    return findings.add("EV-I1: {} event logs of {} threads; run with DeviceConfig::events",
                        result.events.size(), names.size());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const EventLog& log = result.events[i];
    if (log.thread() != names[i]) {
      findings.add("EV-I1: log {} is of {}, not of {}", i, log.thread(), names[i]);
    }
    if (log.dropped() != 0) {
      findings.add("EV-I1: {} events of {} found their buffer full; raise DeviceConfig::events",
                   log.dropped(), log.thread());
    }
  }
}

std::string name_of(TaskId id) {
  return id == no_task ? "no task" : fmt::format("task {} of ring {}", local_of(id), ring_of(id));
}

class Judge {
 public:
  Judge(const DeviceConfig& config, const RunResult& result, Findings& findings)
      : config_(config),
        result_(result),
        history_(config, result),
        ended_well_(result.error.code == ErrorCode::ok ||
                    result.error.code == ErrorCode::not_drained),
        findings_(findings) {}

  void judge(uint64_t idle_limit) {
    for (uint32_t thread = 0; thread < history_.threads(); ++thread) check_thread(thread);
    check_submissions();
    for (const auto& ring : history_.rings()) {
      for (const TaskHistory& task : ring) check_task(task);
      check_reclaimed(ring);
    }
    for (uint32_t core = 0; core < history_.cores(); ++core) {
      check_core(core);
      check_exit(core);
    }
    for (uint32_t worker = history_.cores(); worker < history_.workers(); ++worker) {
      check_scheduler(worker);
    }
    check_counts();
    for (std::string& text : broken_group_rules(history_, result_, ended_well_)) {
      findings_.add_text(std::move(text));
    }
    for (std::string& text : idle_cores_beside_ready_tasks(history_, result_, idle_limit)) {
      findings_.add_text(std::move(text));
    }
  }

 private:
  [[nodiscard]] const EventLog& log(uint32_t thread) const { return result_.events[thread]; }
  [[nodiscard]] const std::string& thread_name(uint32_t thread) const {
    return log(thread).thread();
  }

  [[nodiscard]] bool may_record(uint32_t thread, EventKind kind) const {
    switch (kind) {
      case EventKind::submit:
      case EventKind::allocate:
      case EventKind::close:
      case EventKind::join:
      case EventKind::scope_begin:
      case EventKind::scope_end:
      case EventKind::leftover:
        return thread == 0;
      case EventKind::ready:
      case EventKind::consume:
      case EventKind::reclaim:
      case EventKind::give_back:
        return !history_.is_core(thread);
      case EventKind::pipe:
        return history_.is_scheduler(thread);
      case EventKind::dispatch:
      case EventKind::ack:
      case EventKind::fin:
        return thread != 0;
      case EventKind::wait:
      case EventKind::exit:
        return true;
    }
    return false;
  }

  /// EV-I2, EV-I3, EV-I4 but for the submissions, EV-I9 but for the order.
  void check_thread(uint32_t thread) {
    const std::vector<Event>& events = log(thread).events();
    uint64_t before = 0;
    for (const Event& event : events) {
      const char* const kind = event_name(event.kind);
      if (!may_record(thread, event.kind)) {
        findings_.add("EV-I2: {} of {} in the log of {}", kind, name_of(event.task),
                      thread_name(thread));
      }
      if (event.tick < before) {
        findings_.add("EV-I3: {} has {} at {} after an event at {}", thread_name(thread), kind,
                      event.tick, before);
      }
      before = event.tick;
      const bool of_a_task = static_cast<uint32_t>(event.kind) < life_kinds;
      if (of_a_task && history_.find(event.task) == nullptr) {
        findings_.add("EV-I4: {} of {} by {} at {}, which was not submitted in its turn", kind,
                      name_of(event.task), thread_name(thread), event.tick);
      }
      if (event.kind == EventKind::exit && &event != &events.back()) {
        findings_.add("EV-I9: {} goes on after its exit at {}", thread_name(thread), event.tick);
      }
    }
    if (events.empty() || events.back().kind != EventKind::exit) {
      findings_.add("EV-I9: {} has no exit", thread_name(thread));
    }
  }

  /// EV-I4 for what the orchestrator waits for: tasks that are never out of turn are in the rings.
  void check_submissions() {
    std::vector<uint64_t> next(config_.rings);
    for (const Event& event : log(0).events()) {
      const uint32_t ring = ring_of(event.task);
      if (event.kind == EventKind::submit && ring < next.size()) ++next[ring];
      if (event.kind != EventKind::wait || event.task == no_task) continue;
      const bool is_next = ring < next.size() && local_of(event.task) == next[ring];
      if (is_next && event.detail <= static_cast<uint32_t>(Resource::clusters)) continue;
      findings_.add("EV-I4: the orchestrator waits at {} for resource {} and {}", event.tick,
                    event.detail, name_of(event.task));
    }
  }

  void check_task(const TaskHistory& task) {
    check_kinds(task);
    using enum EventKind;
    constexpr std::pair<EventKind, EventKind> in_order[] = {{submit, ready}, {ready, dispatch},
                                                            {dispatch, ack}, {ack, fin},
                                                            {fin, consume},  {fin, reclaim}};
    for (const auto& [first, second] : in_order) {
      if (!task.has(first) || !task.has(second)) continue;
      if (task.time(first, 0) <= task.time(second, 0)) continue;
      findings_.add("EV-I6: {}: {} at {} by {} is later than {} at {} by {}", name_of(task.id),
                    event_name(first), task.time(first, 0), thread_name(task.of(first).thread),
                    event_name(second), task.time(second, 0), thread_name(task.of(second).thread));
    }
    check_place(task);
  }

  /// EV-I5.
  void check_kinds(const TaskHistory& task) {
    for (uint32_t k = 0; k < life_kinds; ++k) {
      const auto kind = static_cast<EventKind>(k);
      if (!task.parts.empty() && is_of_a_part(kind)) {
        check_parts(task, kind);
      } else if (task.of(kind).times > 1) {
        findings_.add("EV-I5: {} has {} events {}, the first at {} by {}", name_of(task.id),
                      task.of(kind).times, event_name(kind), task.time(kind, 0),
                      thread_name(task.of(kind).thread));
      }
      if (ended_well_ && !task.has(kind)) {
        findings_.add("EV-I5: {} has no {}", name_of(task.id), event_name(kind));
      } else if (k > 0 && task.has(kind) && !task.has(static_cast<EventKind>(k - 1))) {
        findings_.add("EV-I5: {} has {} at {}, but no {}", name_of(task.id), event_name(kind),
                      task.time(kind, 0), event_name(static_cast<EventKind>(k - 1)));
      }
    }
  }

  /// EV-I5 for the events of the parts of a block task, of one kind.
  void check_parts(const TaskHistory& task, EventKind kind) {
    uint32_t times = 0;
    for (uint32_t i = 0; i < task.runs(); ++i) {
      const Moment& moment = task.parts[i].of(kind);
      times += moment.times;
      const bool begun = kind == EventKind::dispatch || task.parts[i].dispatch.times != 0;
      if (moment.times <= 1 && (moment.times == 1 || !ended_well_) &&
          (begun || moment.times == 0)) {
        continue;
      }
      findings_.add("EV-I5: part {} of {} has {} events {}", i, name_of(task.id), moment.times,
                    event_name(kind));
    }
    if (times == task.of(kind).times) return;
    findings_.add("EV-I5: {}, of {} parts, has {} events {} of others", name_of(task.id),
                  task.runs(), task.of(kind).times - times, event_name(kind));
  }

  /// EV-I7.
  void check_place(const TaskHistory& task) {
    if (task.has(EventKind::ready) && task.type() >= core_types) {
      findings_.add("EV-I7: {} is ready for core type {}", name_of(task.id), task.type());
    }
    for (uint32_t i = 0; i < task.runs(); ++i) check_place(task, task.run(i));
  }

  void check_place(const TaskHistory& task, const PartHistory& run) {
    const Moment& dispatch = run.dispatch;
    if (dispatch.times == 0) return;
    const uint32_t core = dispatch.event->detail;
    if (core >= history_.workers()) {
      return findings_.add("EV-I7: {} is dispatched to core {} of {}", name_of(task.id), core,
                           history_.cores());
    }
    const std::string to = config_.chip.core_name(core);
    if (task.has(EventKind::ready) && history_.type_of_core(core) != task.type()) {
      findings_.add("EV-I7: {}, ready for core type {}, is dispatched to {}", name_of(task.id),
                    task.type(), to);
    }
    if (history_.dispatcher_of(task, run, core) != dispatch.thread) {
      findings_.add("EV-I7: {} is dispatched to {} by {}", name_of(task.id), to,
                    thread_name(dispatch.thread));
    }
    for (const EventKind kind : {EventKind::ack, EventKind::fin}) {
      const Moment& moment = run.of(kind);
      if (moment.times == 0 || moment.thread == history_.thread_of_core(core)) continue;
      findings_.add("EV-I7: {} is dispatched to {}, but has its {} by {}", name_of(task.id), to,
                    event_name(kind), thread_name(moment.thread));
    }
  }

  /// Whether a core's event of this kind may follow one of that kind.
  static bool may_follow(EventKind kind, EventKind before) {
    switch (kind) {
      case EventKind::ack:
        return before == EventKind::wait || before == EventKind::dispatch;
      case EventKind::exit:
        return before == EventKind::wait;
      case EventKind::fin:
        return before == EventKind::ack;
      case EventKind::dispatch:  // a part that the core claimed
        return before == EventKind::fin || before == EventKind::wait;
      default:
        return before == EventKind::fin;
    }
  }

  static bool same_run(const Event& a, const Event& b) {
    return a.task == b.task && a.part == b.part;
  }

  /// EV-I8.
  void check_core(uint32_t core) {
    const uint32_t thread = history_.thread_of_core(core);
    const std::string& name = thread_name(thread);
    const std::vector<const Event*>& sent = history_.sent(core);
    std::size_t taken = 0;
    const Event* before = nullptr;
    for (const Event& event : log(thread).events()) {
      const bool follows =
          before == nullptr ? event.kind == EventKind::wait : may_follow(event.kind, before->kind);
      const bool goes_on = before != nullptr && event.kind != EventKind::dispatch &&
                           (event.kind == EventKind::fin || before->kind == EventKind::dispatch);
      if (!follows || (goes_on && !same_run(*before, event))) {
        findings_.add("EV-I8: {} has {} of {} at {} after {}", name, event_name(event.kind),
                      name_of(event.task), event.tick,
                      before == nullptr ? "nothing" : event_name(before->kind));
      }
      if (event.kind == EventKind::ack && !goes_on) {
        if (taken >= sent.size() || !same_run(*sent[taken], event)) {
          findings_.add("EV-I8: {} acks {} at {}, but its dispatch number {} is of {}", name,
                        name_of(event.task), event.tick, taken,
                        taken < sent.size() ? name_of(sent[taken]->task) : "no task");
        }
        ++taken;
      }
      if (event.kind == EventKind::fin && taken < sent.size() && sent[taken]->tick < event.tick) {
        findings_.add("EV-I8: {} is dispatched to {} at {}, before the fin of {} at {}",
                      name_of(sent[taken]->task), name, sent[taken]->tick, name_of(event.task),
                      event.tick);
      }
      before = &event;
    }
    check_taken(core, taken);
  }

  /// EV-I8 for a scheduler: the three events of a task that it runs follow each other.
  void check_scheduler(uint32_t worker) {
    const uint32_t thread = history_.thread_of_core(worker);
    Event before{};
    before.kind = EventKind::wait;
    for (const Event& event : log(thread).events()) {
      const bool taken = before.kind == EventKind::dispatch && before.detail == worker;
      const bool begun = before.kind == EventKind::ack;
      const bool follows = taken   ? event.kind == EventKind::ack
                           : begun ? event.kind == EventKind::fin
                                   : event.kind != EventKind::ack && event.kind != EventKind::fin;
      if (!follows || ((taken || begun) && !same_run(before, event))) {
        findings_.add("EV-I8: {} has {} of {} at {} after {}", thread_name(thread),
                      event_name(event.kind), name_of(event.task), event.tick,
                      event_name(before.kind));
      }
      before = event;
    }
  }

  void check_taken(uint32_t core, std::size_t taken) {
    const std::size_t sent = history_.sent(core).size();
    const uint32_t thread = history_.thread_of_core(core);
    if (sent > taken + (ended_well_ ? 0 : 1)) {
      findings_.add("EV-I8: {} takes {} of the {} tasks that are dispatched to it",
                    thread_name(thread), taken, sent);
    }
    const auto& events = log(thread).events();
    if (!events.empty() && events.back().kind == EventKind::ack) {
      findings_.add("EV-I8: {} never ends {}", thread_name(thread), name_of(events.back().task));
    }
  }

  /// EV-I9 but for the number of exits.
  void check_exit(uint32_t core) {
    const uint64_t left = exit_of(history_.thread_of_core(core), 0);
    const uint32_t scheduler = history_.scheduler_of_core(core);
    const std::string& name = thread_name(history_.thread_of_core(core));
    if (left > exit_of(scheduler, never)) {
      findings_.add("EV-I9: {} leaves at {}, after its {} at {}", name, left,
                    thread_name(scheduler), exit_of(scheduler, never));
    }
    if (!ended_well_ || exit_of(history_.thread_of_core(core), never) >= last_fin()) return;
    findings_.add("EV-I9: {} leaves at {}, before the last fin at {}", name, left, last_fin());
  }

  [[nodiscard]] uint64_t exit_of(uint32_t thread, uint64_t none) const {
    const auto& events = log(thread).events();
    const bool exited = !events.empty() && events.back().kind == EventKind::exit;
    return exited ? events.back().tick : none;
  }

  [[nodiscard]] uint64_t last_fin() {
    if (last_fin_ != never) return last_fin_;
    last_fin_ = 0;
    for (const auto& ring : history_.rings()) {
      for (const TaskHistory& task : ring) {
        last_fin_ = std::max(last_fin_, task.time(EventKind::fin, 0));
      }
    }
    return last_fin_;
  }

  /// EV-I10.
  void check_reclaimed(const std::vector<TaskHistory>& ring) {
    const auto alive = std::find_if(ring.begin(), ring.end(), [](const TaskHistory& task) {
      return !task.has(EventKind::reclaim);
    });
    for (auto task = alive; task != ring.end(); ++task) {
      if (!task->has(EventKind::reclaim)) continue;
      return findings_.add("EV-I10: {} is reclaimed at {}, but not {}", name_of(task->id),
                           task->time(EventKind::reclaim, 0), name_of(alive->id));
    }
  }

  /// EV-I11.
  void check_counts() {
    expect_count("tasks", result_.tasks, history_.count(EventKind::submit));
    expect_count("dispatches", result_.dispatches, history_.count(EventKind::dispatch));
    expect_count("acks", result_.acks, history_.count(EventKind::ack));
    expect_count("fins", result_.fins, history_.count(EventKind::fin));
    const uint64_t consumed = history_.count(EventKind::consume);
    if (ended_well_) expect_count("completions", result_.completions, result_.tasks);
    if (result_.completions < consumed || result_.completions > result_.fins) {
      findings_.add("EV-I11: {} completions with {} fins and {} events consume",
                    result_.completions, result_.fins, consumed);
    }
    uint64_t recycled = 0;
    for (const auto& ring : history_.rings()) {
      recycled += ring.size() > config_.window ? ring.size() - config_.window : 0;
    }
    expect_count("slots_recycled", result_.slots_recycled, recycled);
    expect_count("waits", result_.waits, waits(0, true));
    uint64_t parks = 0;
    for (uint32_t s = 1; history_.is_scheduler(s); ++s) parks += waits(s, false);
    // Each scheduler waits once more, before it starts.
    expect_count("scheduler_parks", result_.scheduler_parks + config_.chip.schedulers, parks);
    // Whatever is stolen is dispatched or lent, or is the ticket of a task that is used up.
    const uint64_t taken = result_.dispatches + result_.loans + history_.block_tasks();
    if (result_.steals > (config_.shards == 1 ? 0 : taken)) {
      findings_.add("EV-I11: {} steals of {} dispatches and {} loans, with {} shards",
                    result_.steals, result_.dispatches, result_.loans, config_.shards);
    }
    check_peak_window();
  }

  /// The orchestrator may see tasks as alive that are not; it sees all that have no FIN.
  void check_peak_window() {
    uint64_t most = 0;
    uint64_t least = 0;
    for (const auto& ring : history_.rings()) {
      most = std::max<uint64_t>(most, ring.size());
      uint64_t oldest = 0;
      for (uint64_t local = 0; local < ring.size(); ++local) {
        const uint64_t now = ring[local].time(EventKind::submit, 0);
        while (oldest < local && ring[oldest].time(EventKind::fin, never) <= now) ++oldest;
        least = std::max(least, local - oldest + 1);
      }
    }
    most = std::min<uint64_t>(most, config_.window - 1);
    if (result_.peak_window < least || result_.peak_window > most) {
      findings_.add("EV-I11: peak_window is {}, but the events say {} to {}", result_.peak_window,
                    least, most);
    }
  }

  void expect_count(const char* name, uint64_t counted, uint64_t events) {
    if (counted != events) {
      findings_.add("EV-I11: {} is {}, but the events say {}", name, counted, events);
    }
  }

  /// How often a thread waits, for a resource or for anything else.
  [[nodiscard]] uint64_t waits(uint32_t thread, bool for_resource) const {
    const auto& events = log(thread).events();
    return static_cast<uint64_t>(
        std::count_if(events.begin(), events.end(), [&](const Event& event) {
          return event.kind == EventKind::wait && (event.task != no_task) == for_resource;
        }));
  }

  const DeviceConfig& config_;
  const RunResult& result_;
  RunHistory history_;
  bool ended_well_;
  Findings& findings_;
  uint64_t last_fin_ = never;
};

}  // namespace

std::vector<std::string> broken_rules(const DeviceConfig& config, const RunResult& result,
                                      uint64_t idle_limit) {
  Findings findings;
  check_logs(config, result, findings);
  if (findings.empty()) Judge(config, result, findings).judge(idle_limit);
  for (const std::string& name : result.damaged) {
    findings.add("EV-I13: damaged after the run: {}", name);
  }
  return findings.take();
}

}  // namespace pto2
