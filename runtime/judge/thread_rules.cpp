#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>

#include "runtime/judge/rules.hpp"
#include "runtime/record/outcome.hpp"

namespace pto2::judging {
namespace {

/// VR-I28 for a dispatch, of which there is one for each task or part.
class Dispatches {
 public:
  explicit Dispatches(const Case& it) : it_(it) {}

  void add(const Event& event) {
    const CoreRecord& core = it_.record.cores[event.place];
    switch (it_.record.roles[event.thread]) {
      case Role::orchestrator:
        return refuse(event, "the orchestrator sends no tasks to cores");
      case Role::core:
        return check_claim(event, core);
      case Role::scheduler:
        return check_server(event, core);
    }
  }

 private:
  /// A core has sent a task to itself.
  void check_claim(const Event& event, const CoreRecord& core) {
    if (event.thread != core.thread) return refuse(event, "a core sends a task to another one");
    const uint32_t task = it_.history.find(event.task);
    if (task == no_index || event.part >= it_.history.parts(task).size()) return;
    const bool joined = it_.history.parts(task)[event.part].join != no_index;
    if (it_.record.tasks[task].block_dim != 0 && !joined) return;
    refuse(event, "a core claims what is no part, or a pinned one");
  }

  /// A core is served by one scheduler throughout, that of a scheduler by that one. An older trace
  /// does not name it.
  void check_server(const Event& event, const CoreRecord& core) {
    if (it_.record.roles[core.thread] == Role::scheduler) {
      if (event.thread != core.thread) refuse(event, "a scheduler sends a task to another one");
      return;
    }
    if (core.scheduler != no_index) {
      if (event.thread != core.scheduler) {
        it_.findings.add(
            "VR-I28",
            fmt::format("{} is served by {}", text_of(core), it_.record.threads[core.scheduler]),
            event);
      }
      return;
    }
    const Event& first = *first_.emplace(event.place, &event).first->second;
    if (first.thread == event.thread) return;
    it_.findings.add("VR-I28", fmt::format("{} is served by another scheduler", text_of(core)),
                     event, first);
  }

  void refuse(const Event& event, const char* problem) {
    it_.findings.add("VR-I28", problem, event);
  }

  const Case& it_;
  std::map<uint32_t, const Event*> first_;  // by core
};

/// Whether a scheduler may have completed a producer. A block task any of them may complete that
/// has lent a core to it, which the trace does not tell.
bool may_complete(const Case& it, const ProducerRecord& producer, uint32_t scheduler) {
  const uint32_t task = it.history.find(producer.task);
  if (task == no_index || it.record.tasks[task].block_dim != 0) return true;
  const Moment& dispatch = it.history.parts(task).front().dispatch;
  return !dispatch.has() || it.event(dispatch.event).thread == scheduler;
}

/// VR-I28 for a scheduler that makes a task ready.
void check_ready(const Case& it, const Event& event) {
  const uint32_t task = it.history.find(event.task);
  if (task == no_index) return;
  const std::vector<ProducerRecord>& producers = it.record.tasks[task].producers;
  const bool completed = std::ranges::any_of(producers, [&](const ProducerRecord& producer) {
    return may_complete(it, producer, event.thread);
  });
  if (completed || producers.empty()) return;
  it.findings.add("VR-I28", "the scheduler has completed none of the task's producers", event,
                  it.submit(task));
}

/// VR-I28 for a scheduler that keeps a task in its backlog. The ticket of a block task it may have
/// taken from a queue.
void check_backlog(const Case& it, const Event& event) {
  const uint32_t task = it.history.find(event.task);
  if (task == no_index || it.record.tasks[task].block_dim != 0) return;
  const Moment& ready = it.history.of(task).ready;
  if (!ready.has() || it.event(ready.event).thread == event.thread) return;
  it.findings.add("VR-I28", "another one has made the task ready", event, it.event(ready.event));
}

/// VR-I28 for a look at a pipe: whoever has sent the task does that.
void check_pipe(const Case& it, const Event& event) {
  const uint32_t task = it.history.find(event.task);
  if (task == no_index) return;
  const Moment& dispatch = it.history.parts(task).front().dispatch;
  if (!dispatch.has() || it.event(dispatch.event).thread == event.thread) return;
  it.findings.add("VR-I28", "the task was sent by another scheduler", event,
                  it.event(dispatch.event));
}

/// Whether a thread may take such a step. Who submits, acks and finishes has rules of its own.
bool may_take(Role role, EventKind kind) {
  const bool elsewhere =
      kind == EventKind::submit || kind == EventKind::ack || kind == EventKind::fin;
  return elsewhere || row_of(kind).recorded_by.has(role);
}

bool is_same_task(const Event& a, const Event& b) {
  return a.task == b.task;
}

const char* name_of(Role role) {
  switch (role) {
    case Role::orchestrator:
      return "the orchestrator";
    case Role::scheduler:
      return "a scheduler";
    case Role::core:
      return "a core";
  }
  return "";
}

/// VR-I28.
void check_roles(const Case& it) {
  Dispatches dispatches(it);
  const Event* submitted = nullptr;  // the last
  for (const Event& event : it.record.events) {
    const Role role = it.record.roles[event.thread];
    if (event.kind != EventKind::dispatch && !may_take(role, event.kind)) {
      it.findings.add("VR-I28", fmt::format("no such step is taken by {}", name_of(role)), event);
    } else if (event.kind == EventKind::dispatch) {
      dispatches.add(event);
    } else if (event.kind == EventKind::backlog) {
      check_backlog(it, event);
    } else if (event.kind == EventKind::pipe) {
      check_pipe(it, event);
    } else if (event.kind == EventKind::ready && role == Role::orchestrator &&
               (submitted == nullptr || !is_same_task(*submitted, event))) {
      it.findings.add("VR-I28", "the orchestrator makes only what it submits ready", event);
    } else if (event.kind == EventKind::ready && role == Role::scheduler) {
      check_ready(it, event);
    }
    if (event.kind == EventKind::submit) submitted = &event;
  }
}

/// It is the core that the outcome core_lost names, of which no more was seen.
bool is_lost(const Record& record, uint32_t thread) {
  return record.error == error_name(ErrorCode::core_lost) && record.roles[thread] == Role::core &&
         record.message.starts_with(fmt::format("core {} ", record.threads[thread]));
}

/// VR-I3, VR-I22.
void check_sequences(const Case& it) {
  std::vector<uint32_t> last(it.record.threads.size(), no_index);
  for (uint32_t i = 0; i < it.record.events.size(); ++i) {
    const Event& event = it.event(i);
    uint32_t& before = last[event.thread];
    if (before != no_index && it.event(before).t > event.t) {
      it.findings.add("VR-I3", "an event of the thread before it is later", event,
                      it.event(before));
    }
    if (before != no_index && it.event(before).kind == EventKind::exit) {
      it.findings.add("VR-I22", "the thread goes on after its exit", event, it.event(before));
    }
    before = i;
  }
  for (uint32_t thread = 0; thread < last.size(); ++thread) {
    if (last[thread] == no_index) {
      it.findings.add_of_header("VR-I22", it.record.threads[thread] + " has no event, and no exit");
    } else if (it.event(last[thread]).kind != EventKind::exit && !is_lost(it.record, thread)) {
      it.findings.add("VR-I22", it.record.threads[thread] + " ends without an exit",
                      it.event(last[thread]));
    } else if (it.event(last[thread]).kind == EventKind::exit && is_lost(it.record, thread)) {
      it.findings.add("VR-I22", it.record.threads[thread] + " leaves although it was lost",
                      it.event(last[thread]));
    }
  }
}

/// When each thread leaves; forever if it does not say so.
std::vector<uint64_t> exits_of(const Case& it) {
  std::vector<uint64_t> exits(it.record.threads.size(), std::numeric_limits<uint64_t>::max());
  for (const uint32_t number : it.history.of_kind(EventKind::exit)) {
    exits[it.event(number).thread] = it.event(number).t;
  }
  return exits;
}

}  // namespace

void check_exits(const Case& it) {
  const std::vector<uint64_t> exits = exits_of(it);
  const std::span<const uint32_t> fins = it.history.of_kind(EventKind::fin);
  for (const uint32_t number : it.history.of_kind(EventKind::exit)) {
    const Event& event = it.event(number);
    if (it.record.roles[event.thread] != Role::core) continue;
    const auto core = std::ranges::find(it.record.cores, event.thread, &CoreRecord::thread);
    if (core->scheduler != no_index && event.t > exits[core->scheduler]) {
      it.findings.add("VR-I34", "its scheduler has left before", event);
    }
    if (!it.record.given_up && !fins.empty() && event.t < it.event(fins.back()).t) {
      it.findings.add("VR-I34", "a kernel ends after it", event, it.event(fins.back()));
    }
  }
}

void check_threads(const Case& it) {
  check_sequences(it);
  check_roles(it);
}

}  // namespace pto2::judging
