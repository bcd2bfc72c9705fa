#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

/// Whether a task's tensor lies in the buffers of their owner.
bool is_inside(const TaskRecord& owner, const Bytes& bytes) {
  return bytes.begin >= owner.heap_begin && bytes.end - owner.heap_begin <= owner.heap_bytes;
}

/// Whether a task keeps the owner of a buffer that it names: who reads the buffer waits for it.
bool keeps(const TaskRecord& task, const ParamRecord& param) {
  if (!param.reads() && std::ranges::count(task.holds, param.owner) != 0) return true;
  return std::ranges::any_of(task.producers, [&](const ProducerRecord& producer) {
    return producer.task == param.owner && producer.claim != Claim::none;
  });
}

/// VR-I16 for memory of the caller, of which there were so many pieces before.
void check_number(const Case& it, uint32_t task, std::size_t i, uint64_t& memories) {
  const uint64_t number = it.record.tasks[task].params[i].memory;
  if (number == memories) ++memories;
  if (number < memories) return;
  it.findings.add("VR-I16",
                  fmt::format("parameter {} is the first in memory {}, and not in memory {}", i,
                              number, memories),
                  it.submit(task));
}

/// What a task that is not judged uses first.
void count_memories(const std::vector<ParamRecord>& params, uint64_t& memories) {
  for (const ParamRecord& param : params) {
    if (param.external && param.memory == memories) ++memories;
  }
}

/// VR-I16 for one tensor.
void check_tensor(const Case& it, uint32_t task, std::size_t i, uint64_t& memories) {
  const TaskRecord& submission = it.record.tasks[task];
  const ParamRecord& param = submission.params[i];
  const std::optional<Bytes>& bytes = it.history.bytes(task, i);
  if (!bytes) {
    it.findings.add("VR-I16", fmt::format("the bytes of parameter {} do not fit 64 bits", i),
                    it.submit(task));
  }
  if (param.external) return check_number(it, task, i, memories);
  const uint32_t owner = it.history.find(param.owner);
  const auto name = [&] {
    return fmt::format("parameter {} lies in the buffers of {}", i, text_of(param.owner));
  };
  if (owner == no_index || owner > task) {
    it.findings.add("VR-I16", name() + ", which was not submitted before it", it.submit(task));
    return;
  }
  const TaskRecord& held = it.record.tasks[owner];
  if (bytes && !is_inside(held, *bytes)) {
    it.findings.add(
        "VR-I16",
        fmt::format("{}, but its bytes {} to {} do not", name(), bytes->begin, bytes->end),
        it.submit(task), it.submit(owner));
  }
  if (owner == task && param.reads()) {
    it.findings.add("VR-I16", fmt::format("parameter {} reads what nobody has written", i),
                    it.submit(task));
  } else if (owner != task && !keeps(submission, param)) {
    it.findings.add("VR-I16", name() + ", which it does not hold", it.submit(task),
                    it.submit(owner));
  }
}

/// What is wrong with the one that a task holds before its later ones; empty: nothing.
std::string problem_of_hold(const Case& it, uint32_t task, std::size_t i) {
  const TaskRecord& submission = it.record.tasks[task];
  const TaskId held = submission.holds[i];
  if (it.history.find(held) >= task) return "was not submitted before it";
  const bool is_owner = std::ranges::any_of(submission.params, [&](const ParamRecord& param) {
    return param.direction != Direction::none && !param.external && param.owner == held;
  });
  if (!is_owner) return "owns none of its tensors";
  if (std::ranges::count(submission.producers, held, &ProducerRecord::task) != 0) {
    return "is its producer";
  }
  const auto before = submission.holds.begin() + static_cast<std::ptrdiff_t>(i);
  return std::find(submission.holds.begin(), before, held) != before ? "it holds already" : "";
}

/// VR-I16 for those whom a task holds.
void check_holds(const Case& it, uint32_t task) {
  const std::vector<TaskId>& holds = it.record.tasks[task].holds;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    const std::string problem = problem_of_hold(it, task, i);
    if (problem.empty()) continue;
    it.findings.add("VR-I16", fmt::format("it holds {}, which {}", text_of(holds[i]), problem),
                    it.submit(task));
  }
}

/// VR-I17, VR-I18.
void check_end(const Case& it, uint32_t task, const char* rule, const Moment& end) {
  if (!end.has()) return;
  const TaskHistory& history = it.history.of(task);
  const Event& event = it.event(end.event);
  if (history.needs_more) {
    it.findings.add(rule, "something that uses it never ends", event, it.submit(task));
  } else if (is_late(it.event(history.needed), event)) {
    it.findings.add(rule, "something that it must outlive ends later", event,
                    it.event(history.needed));
  }
}

/// VR-I18: whoever takes both steps takes them in this order.
void check_last_step(const Case& it, const TaskHistory& history) {
  if (!history.consume.has() || !history.reclaim.has()) return;
  const Event& consume = it.event(history.consume.event);
  const Event& reclaim = it.event(history.reclaim.event);
  if (consume.thread != reclaim.thread || consume.line < reclaim.line) return;
  it.findings.add("VR-I18", "reclaimed before it was consumed", reclaim, consume);
}

/// VR-I19.
void check_ring(const Case& it, const std::vector<uint32_t>& ring) {
  uint32_t latest = no_index;   // of those so far, the one whose step was certainly last
  uint32_t missing = no_index;  // the first that is not reclaimed
  for (const uint32_t task : ring) {
    if (!it.history.of(task).whole) continue;
    const uint32_t reclaim = it.history.of(task).reclaim.event;
    if (reclaim == no_index) {
      if (missing == no_index) missing = task;
      continue;
    }
    const Event& event = it.event(reclaim);
    if (missing != no_index) {
      it.findings.add("VR-I19", "a task before it is not reclaimed", event, it.submit(missing));
      return;
    }
    if (latest != no_index) {
      const Event& other = it.event(latest);
      const bool same_thread = other.thread == event.thread;
      if (other.before > event.t || (same_thread && other.line > event.line)) {
        it.findings.add("VR-I19", "a task before it is reclaimed later", event, other);
      }
    }
    if (latest == no_index || event.before >= it.event(latest).before) latest = reclaim;
  }
}

}  // namespace

void check_references(const Case& it) {
  uint64_t memories = 0;
  for (uint32_t task = 0; task < it.record.tasks.size(); ++task) {
    const TaskHistory& history = it.history.of(task);
    const std::vector<ParamRecord>& params = it.record.tasks[task].params;
    if (!history.whole) {
      count_memories(params, memories);
      continue;
    }
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (params[i].direction != Direction::none) check_tensor(it, task, i, memories);
    }
    check_holds(it, task);
    check_end(it, task, "VR-I17", history.consume);
    check_end(it, task, "VR-I18", history.reclaim);
    check_last_step(it, history);
  }
  for (const auto& ring : it.history.rings()) check_ring(it, ring);
}

}  // namespace pto2::judging
