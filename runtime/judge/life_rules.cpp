#include <fmt/core.h>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

/// VR-I2. Where VR-I1 is broken already, an event that is missing is one that went elsewhere: the
/// tasks are marked without a word.
class Counts {
 public:
  explicit Counts(const Case& it)
      : it_(it), silent_(!it.history.strays().empty() || !it.history.out_of_turn().empty()) {}

  void check(uint32_t task) {
    const TaskHistory& history = it_.history.of(task);
    check(task, history.ready, "ready", true);
    for (const PartHistory& part : it_.history.parts(task)) {
      check(task, part.dispatch, "dispatch", history.ready.has());
      check(task, part.ack, "ack", part.dispatch.has());
      check(task, part.fin, "fin", part.ack.has());
    }
    check(task, history.consume, "consume", history.fin != no_index);
    check(task, history.reclaim, "reclaim", history.consume.has());
  }

 private:
  /// `before` had to happen before it.
  void check(uint32_t task, const Moment& moment, const char* what, bool before) {
    const auto name = [&] { return text_of(it_.record.tasks[task].task); };
    if (moment.times > 1) {
      refuse(task, moment,
             [&] { return fmt::format("{} has {} events {}", name(), moment.times, what); });
    } else if (!moment.has() && !it_.record.given_up) {
      refuse(task, moment, [&] { return fmt::format("{} has no {}", name(), what); });
    } else if (moment.has() && !before) {
      refuse(task, moment,
             [&] { return fmt::format("{} has {}, but not what comes before it", name(), what); });
    }
  }

  template <class Problem>
  void refuse(uint32_t task, const Moment& moment, const Problem& problem) {
    it_.history.of(task).whole = false;
    if (silent_) return;
    if (moment.has()) {
      it_.findings.add("VR-I2", problem, it_.event(moment.event), it_.submit(task));
    } else {
      it_.findings.add("VR-I2", problem, it_.submit(task));
    }
  }

  const Case& it_;
  bool silent_;
};

/// VR-I4 for two events, if both happened.
void check_pair(const Case& it, uint32_t first, uint32_t second) {
  if (first == no_index || second == no_index) return;
  if (!is_late(it.event(first), it.event(second))) return;
  it.findings.add("VR-I4",
                  fmt::format("{} is later than {}", event_name(it.event(first).kind),
                              event_name(it.event(second).kind)),
                  it.event(first), it.event(second));
}

void check_life(const Case& it, uint32_t task) {
  const TaskHistory& history = it.history.of(task);
  check_pair(it, it.record.tasks[task].event, history.ready.event);
  for (const PartHistory& part : it.history.parts(task)) {
    check_pair(it, history.ready.event, part.dispatch.event);
    check_pair(it, part.dispatch.event, part.ack.event);
    check_pair(it, part.ack.event, part.fin.event);
  }
}

/// VR-I4 for a task that found the queues full. The ticket of a block task may do so at any time
/// before the last part is claimed.
void check_backlog(const Case& it, uint32_t backlog) {
  const uint32_t task = it.history.find(it.event(backlog).task);
  if (task == no_index || !it.history.of(task).whole) return;
  check_pair(it, it.history.of(task).ready.event, backlog);
  if (it.record.tasks[task].block_dim != 0) return;
  check_pair(it, backlog, it.history.parts(task).front().dispatch.event);
}

/// VR-I5.
void check_producer(const Case& it, uint32_t task, const ProducerRecord& producer) {
  const auto name = [&] { return text_of(producer.task); };
  const uint32_t found = it.history.find(producer.task);
  if (found == no_index || found >= task) {
    it.findings.add("VR-I5", "its producer " + name() + " was not submitted before it",
                    it.submit(task));
    return;
  }
  const TaskHistory& history = it.history.of(found);
  const Moment& ready = it.history.of(task).ready;
  if (!history.whole || !ready.has()) return;
  if (history.fin == no_index) {
    it.findings.add("VR-I5", "ready, although its producer " + name() + " has not finished",
                    it.event(ready.event), it.submit(found));
  } else if (is_late(it.event(history.fin), it.event(ready.event))) {
    it.findings.add("VR-I5", "ready before its producer " + name() + " has finished",
                    it.event(ready.event), it.event(history.fin));
  }
}

/// VR-I6.
void check_claim(const Case& it, uint32_t task, const ProducerRecord& producer) {
  const uint32_t found = it.history.find(producer.task);
  if (found == no_index || !it.history.of(found).whole || producer.claim == Claim::linked) return;
  const TaskHistory& history = it.history.of(found);
  const bool early = producer.claim == Claim::early;
  const uint32_t end = early ? history.fin : history.consume.event;
  const auto problem = [&] {
    return fmt::format("{} was claimed as {}", text_of(producer.task),
                       early ? "finished" : "consumed");
  };
  if (end == no_index) {
    it.findings.add("VR-I6", problem() + ", which it never was", it.submit(task), it.submit(found));
    return;
  }
  const uint64_t earliest = early ? it.event(end).t : it.event(end).before;
  if (earliest <= it.submit(task).t) return;
  it.findings.add("VR-I6", problem() + ", which it was not yet", it.submit(task), it.event(end));
}

}  // namespace

void check_counts(const Case& it) {
  const auto& tasks = it.record.tasks;
  for (const uint32_t task : it.history.out_of_turn()) {
    it.findings.add("VR-I1", text_of(tasks[task].task) + " is not its ring's next", it.submit(task),
                    it.submit(0));
  }
  for (const uint32_t stray : it.history.strays()) {
    it.findings.add("VR-I1", "there is no such task or part", it.event(stray));
  }
  Counts counts(it);
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (!it.is_of_the_orchestrator(it.submit(task))) {
      it.findings.add("VR-I1", "only the orchestrator submits tasks", it.submit(task));
    } else if (it.submit(task).thread != it.submit(0).thread) {
      it.findings.add("VR-I1", "two threads submit tasks", it.submit(task), it.submit(0));
    }
    if (it.history.of(task).whole) counts.check(task);
  }
}

void check_order(const Case& it) {
  for (const uint32_t i : it.history.of_kind(EventKind::backlog)) check_backlog(it, i);
  for (uint32_t task = 0; task < it.record.tasks.size(); ++task) {
    if (!it.history.of(task).whole) continue;
    check_life(it, task);
    for (const ProducerRecord& producer : it.record.tasks[task].producers) {
      check_producer(it, task, producer);
      check_claim(it, task, producer);
    }
  }
}

}  // namespace pto2::judging
