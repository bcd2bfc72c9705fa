#include <fmt/core.h>

#include <utility>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

/// VR-I7.
void check_place(const Case& it, uint32_t task, const PartHistory& part) {
  const TaskRecord& submission = it.record.tasks[task];
  if (!part.dispatch.has()) return;
  const Event& dispatch = it.event(part.dispatch.event);
  const CoreRecord& core = it.record.cores[dispatch.place];
  if (core.type != submission.type) {
    it.findings.add("VR-I7",
                    fmt::format("a {} task is dispatched to a {} core",
                                it.record.types[submission.type], it.record.types[core.type]),
                    dispatch, it.submit(task));
  }
  for (const Moment& moment : {part.ack, part.fin}) {
    if (!moment.has() || it.event(moment.event).thread == core.thread) continue;
    it.findings.add("VR-I7", "it was dispatched to another core", it.event(moment.event), dispatch);
  }
}

/// VR-I8.
void check_cluster(const Case& it, uint32_t task, const PartHistory& part) {
  if (!part.dispatch.has()) return;
  const TaskRecord& submission = it.record.tasks[task];
  const bool joined = part.join != no_index;
  const int64_t cluster = joined ? int64_t{it.event(part.join).place} : submission.cluster;
  const Event& dispatch = it.event(part.dispatch.event);
  const CoreRecord& core = it.record.cores[dispatch.place];
  if (cluster == -1 || core.cluster == cluster) return;
  it.findings.add("VR-I8",
                  fmt::format("{} is pinned to cluster {}, but was sent to {}",
                              text_of(submission, dispatch.part), cluster, text_of(core)),
                  dispatch, joined ? it.event(part.join) : it.submit(task));
}

/// VR-I9: what a core does, in the order of its events.
class CoreLog {
 public:
  explicit CoreLog(const Case& it) : it_(it), running_(it.record.threads.size()) {}

  void add(const Event& event) {
    if (event.kind == EventKind::dispatch) give(event);
    if (event.kind != EventKind::ack && event.kind != EventKind::fin) return check_busy(event);
    if (!is_of_a_whole_task(event)) return;
    Running& now = running_[event.thread];
    if (event.kind == EventKind::ack) {
      if (now.ack != nullptr) {
        it_.findings.add("VR-I9", "the core has not finished another task", event, *now.ack);
      }
      check_dispatch(event, now.fin);
      now.ack = &event;
    } else {
      if (now.ack == nullptr || !is_same(*now.ack, event)) {
        it_.findings.add("VR-I9", "the core does not run this task", event);
      }
      now.ack = nullptr;
      now.fin = &event;
    }
  }

 private:
  struct Running {
    const Event* ack = nullptr;    ///< of the task that the core runs
    const Event* fin = nullptr;    ///< the last
    const Event* given = nullptr;  ///< the last dispatch to it
  };

  /// What a core begins is judged where it does. What it never begins, of a run that was given up,
  /// was not to come before the end of what it had been given.
  void give(const Event& event) {
    if (!is_of_a_whole_task(event)) return;
    const Event* const before =
        std::exchange(running_[it_.record.cores[event.place].thread].given, &event);
    if (before == nullptr || part_of(event).ack.has()) return;
    const Moment& fin = part_of(*before).fin;
    if (fin.has() && !is_late(it_.event(fin.event), event)) return;
    report_unfinished(event, fin.has() ? it_.event(fin.event) : *before);
  }
  [[nodiscard]] bool is_of_a_whole_task(const Event& event) const {
    const uint32_t task = it_.history.find(event.task);
    return task != no_index && it_.history.of(task).whole;
  }
  [[nodiscard]] const PartHistory& part_of(const Event& event) const {
    return it_.history.parts(it_.history.find(event.task))[event.part];
  }

  /// Whoever runs a kernel does nothing else. A run that is given up need not wait for it.
  void check_busy(const Event& event) const {
    const Event* const ack = running_[event.thread].ack;
    if (ack == nullptr || event.kind == EventKind::exit) return;
    it_.findings.add("VR-I9", "the core runs a task meanwhile", event, *ack);
  }

  static bool is_same(const Event& a, const Event& b) {
    return a.task == b.task && a.part == b.part;
  }

  void check_dispatch(const Event& ack, const Event* fin) const {
    const Moment& dispatch = part_of(ack).dispatch;
    if (fin == nullptr || !dispatch.has()) return;
    if (is_late(*fin, it_.event(dispatch.event))) {
      report_unfinished(it_.event(dispatch.event), *fin);
    }
  }
  void report_unfinished(const Event& dispatch, const Event& other) const {
    it_.findings.add("VR-I9", "the core had not finished the task before", dispatch, other);
  }

  const Case& it_;
  std::vector<Running> running_;  // by thread
};

}  // namespace

void check_cores(const Case& it) {
  for (uint32_t task = 0; task < it.record.tasks.size(); ++task) {
    const TaskHistory& history = it.history.of(task);
    if (!history.whole) continue;
    if (history.ready.has() && it.event(history.ready.event).place != it.record.tasks[task].type) {
      it.findings.add("VR-I7", "ready for cores of another type", it.event(history.ready.event),
                      it.submit(task));
    }
    for (const PartHistory& part : it.history.parts(task)) {
      check_place(it, task, part);
      check_cluster(it, task, part);
    }
  }
  CoreLog log(it);
  for (const Event& event : it.record.events) log.add(event);
}

}  // namespace pto2::judging
