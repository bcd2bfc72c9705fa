#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "runtime/judge/rules.hpp"
#include "runtime/record/checked.hpp"

namespace pto2::judging {
namespace {

/// Group and tag.
using PipeName = std::pair<uint64_t, int64_t>;

struct Pipe {
  const PipeUse* last = nullptr;
  uint32_t task = no_index;         ///< of the last use; none if it has no number
  const Event* leftover = nullptr;  ///< the first
};

std::string fill_text(const PipeFill& fill) {
  return fmt::format("[{}, {}]", fill.waiting, fill.held);
}

std::string pipe_of(const PipeUse& use) {
  return text_of_pipe(use.group, use.tag);
}

/// Of a fill whose numbers are 0 or more, the sum of which fits as it has no sign.
uint64_t slots_in_use(const PipeFill& fill) {
  return static_cast<uint64_t>(fill.waiting) + static_cast<uint64_t>(fill.held);
}

bool names_pipe(const TaskRecord& task, int64_t tag) {
  return std::ranges::any_of(
      task.params, [=](const ParamRecord& param) { return param.pipe && param.tag == tag; });
}

bool is_empty(const PipeFill& fill) {
  return (Checked(fill.waiting) + fill.held).result() == 0;
}

/// Whether what a task did makes of the one fill the other.
bool adds_up(const PipeUse& use) {
  const auto waiting = Checked(use.before.waiting) + use.pushed - use.popped;
  const auto held = Checked(use.before.held) + use.popped - use.freed;
  return waiting.result() == use.after.waiting && held.result() == use.after.held;
}

class Pipes {
 public:
  explicit Pipes(const Case& it) : it_(it) {}

  void check() {
    for (const TaskRecord& task : it_.record.tasks) make_pipes(task);
    for (const PipeUse& use : it_.record.pipe_uses) {
      if (event(use).kind == EventKind::pipe) add(use);
    }
    for (uint32_t task = 0; task < it_.record.tasks.size(); ++task) check_named(task);
    for (const PipeUse& use : it_.record.pipe_uses) {
      if (event(use).kind == EventKind::leftover) add_leftover(use);
    }
    find_next_groups();
    for (const auto& [name, pipe] : pipes_) check_end(name, pipe);
  }

 private:
  [[nodiscard]] const Event& event(const PipeUse& use) const { return it_.event(use.event); }

  /// VR-I24: how many slots each pipe was made with, and by whom.
  void make_pipes(const TaskRecord& task) {
    const auto group = static_cast<uint64_t>(task.group);
    for (const MadePipe& pipe : task.pipes) {
      const PipeName name{group, pipe.tag};
      const auto [made, is_new] = made_.emplace(name, Made{&it_.event(task.event), pipe.capacity});
      if (is_new) {
        check_maker(task, name);
      } else {
        it_.findings.add("VR-I24", text_of_pipe(name.first, name.second) + " was made before",
                         it_.event(task.event), *made->second.event);
      }
    }
    for (const ParamRecord& param : task.params) {
      if (param.pipe) named_.insert({group, param.tag});
    }
  }

  /// VR-I26.
  void check_maker(const TaskRecord& task, const PipeName& pipe) {
    const char* const why = task.group == -1                 ? "is of no group"
                            : !names_pipe(task, pipe.second) ? "does not name it"
                            : named_.contains(pipe) ? "is not the first of its group to name it"
                                                    : nullptr;
    if (why == nullptr) return;
    it_.findings.add("VR-I26", fmt::format("the task makes pipe {}, and {}", pipe.second, why),
                     it_.event(task.event));
  }

  /// VR-I24, VR-I26. Traces that do not say who makes pipes have none of this.
  void check_made(const PipeUse& use) {
    if (made_.empty()) return;
    const auto made = made_.find({use.group, use.tag});
    if (made == made_.end()) {
      it_.findings.add("VR-I26", pipe_of(use) + " was never made", event(use));
    } else if (made->second.capacity != use.capacity) {
      it_.findings.add("VR-I24",
                       fmt::format("{} was made with {} slots, and has {}", pipe_of(use),
                                   made->second.capacity, use.capacity),
                       event(use), *made->second.event);
    }
  }

  void add(const PipeUse& use) {
    Pipe& pipe = pipes_[{use.group, use.tag}];
    const uint32_t task = it_.history.find(event(use).task);
    check_fill(use, pipe);
    check_made(use);
    if (task != no_index && !used_.insert({task, use.tag}).second) {
      it_.findings.add("VR-I26", "the task has an event of " + pipe_of(use) + " already",
                       event(use));
    } else if (task != no_index && it_.history.of(task).whole) {
      check_order(use, task, pipe);
      check_owner(use, task);
    }
    pipe.last = &use;
    pipe.task = task;
  }

  /// VR-I24.
  void check_fill(const PipeUse& use, const Pipe& pipe) {
    for (const PipeFill& fill : {use.before, use.after}) {
      if (fill.waiting < 0 || fill.held < 0) {
        it_.findings.add("VR-I24", pipe_of(use) + " holds less than nothing: " + fill_text(fill),
                         event(use));
      } else if (const uint64_t slots = slots_in_use(fill); slots > use.capacity) {
        it_.findings.add(
            "VR-I24",
            fmt::format("{} has {} slots, and {} are in use", pipe_of(use), use.capacity, slots),
            event(use));
      }
    }
    if (!adds_up(use) || use.pushed < 0 || use.popped < 0 || use.freed < 0) {
      it_.findings.add(
          "VR-I24",
          fmt::format("{} comes from {}, with {} pushed, {} popped and {} freed, to {}",
                      pipe_of(use), fill_text(use.before), use.pushed, use.popped, use.freed,
                      fill_text(use.after)),
          event(use));
    }
    if (pipe.last != nullptr && pipe.last->capacity != use.capacity) {
      it_.findings.add("VR-I24",
                       fmt::format("{} had {} slots, and has {}", pipe_of(use), pipe.last->capacity,
                                   use.capacity),
                       event(use), event(*pipe.last));
    }
  }

  /// VR-I25.
  void check_order(const PipeUse& use, uint32_t task, const Pipe& pipe) {
    const TaskHistory& history = it_.history.of(task);
    if (history.fin != no_index && is_late(it_.event(history.fin), event(use))) {
      it_.findings.add("VR-I25", "the task has not finished with " + pipe_of(use), event(use),
                       it_.event(history.fin));
    }
    if (pipe.last == nullptr) {
      if (use.before == PipeFill{}) return;
      it_.findings.add("VR-I25", pipe_of(use) + " begins with " + fill_text(use.before),
                       event(use));
      return;
    }
    const Event& last = event(*pipe.last);
    if (use.before != pipe.last->after) {
      it_.findings.add(
          "VR-I25",
          fmt::format("the task found {} in {}, and the one before it left {}",
                      fill_text(use.before), pipe_of(use), fill_text(pipe.last->after)),
          event(use), last);
    }
    if (pipe.task != no_index && pipe.task > task) {
      it_.findings.add("VR-I25",
                       "it has " + pipe_of(use) + " after a task that was submitted later",
                       event(use), last);
    } else if (history.ready.has() && is_late(last, it_.event(history.ready.event))) {
      it_.findings.add("VR-I25", "ready before the task that had " + pipe_of(use) + " was done",
                       it_.event(history.ready.event), last);
    }
  }

  /// VR-I26.
  void check_owner(const PipeUse& use, uint32_t task) {
    const TaskRecord& submission = it_.record.tasks[task];
    if (!std::cmp_equal(submission.group, use.group)) {
      it_.findings.add(
          "VR-I26",
          submission.group == -1
              ? fmt::format("{} is of a group, the task of none", pipe_of(use))
              : fmt::format("the task is of group {}, and has {}", submission.group, pipe_of(use)),
          event(use), it_.submit(task));
      return;
    }
    if (names_pipe(submission, use.tag)) return;
    it_.findings.add("VR-I26", "the task does not name " + pipe_of(use), event(use),
                     it_.submit(task));
  }

  /// VR-I26 from the other side. A task that was consumed has completed.
  void check_named(uint32_t task) {
    const TaskHistory& history = it_.history.of(task);
    if (!history.whole || !history.consume.has()) return;
    const TaskRecord& submission = it_.record.tasks[task];
    for (const ParamRecord& param : submission.params) {
      if (!param.pipe || used_.contains({task, param.tag})) continue;
      it_.findings.add("VR-I26",
                       fmt::format("the task of group {} names pipe {}, and has no event of it",
                                   submission.group, param.tag),
                       it_.submit(task));
    }
  }

  /// VR-I27, as far as it is about one event.
  void add_leftover(const PipeUse& use) {
    const auto found = pipes_.find({use.group, use.tag});
    if (found == pipes_.end()) {
      it_.findings.add("VR-I27", fmt::format("group {} has no pipe {}", use.group, use.tag),
                       event(use));
      return;
    }
    Pipe& pipe = found->second;
    if (pipe.leftover != nullptr) {
      it_.findings.add("VR-I27", "what is left in " + pipe_of(use) + " was reported before",
                       event(use), *pipe.leftover);
      return;
    }
    pipe.leftover = &event(use);
    if (pipe.last->after != use.after || is_empty(use.after)) {
      it_.findings.add("VR-I27",
                       fmt::format("{} is reported to be left in {}, and {} is",
                                   fill_text(use.after), pipe_of(use), fill_text(pipe.last->after)),
                       event(use), event(*pipe.last));
    } else if (is_late(event(*pipe.last), event(use))) {
      it_.findings.add("VR-I27", "a task had " + pipe_of(use) + " after that", event(use),
                       event(*pipe.last));
    }
  }

  /// For each group, when its cluster was allocated again.
  void find_next_groups() {
    std::map<uint32_t, uint64_t> latest;
    for (const uint32_t number : it_.history.of_kind(EventKind::allocate)) {
      const Event& event = it_.event(number);
      const auto before = latest.find(event.place);
      if (before != latest.end()) next_[before->second] = &event;
      latest[event.place] = event.group;
    }
  }

  /// VR-I27 for a pipe whose last user left something.
  void check_end(const PipeName& name, const Pipe& pipe) {
    const auto next = next_.find(name.first);
    const bool is_over = next != next_.end() || !it_.record.given_up;
    if (pipe.leftover == nullptr) {
      if (!is_over || is_empty(pipe.last->after)) return;
      it_.findings.add(
          "VR-I27",
          fmt::format("what it left in {}, {}, is never reported",
                      text_of_pipe(name.first, name.second), fill_text(pipe.last->after)),
          event(*pipe.last));
    } else if (next != next_.end() && is_late(*pipe.leftover, *next->second)) {
      it_.findings.add(
          "VR-I27",
          fmt::format("cluster {} had group {} by then", next->second->place, next->second->group),
          *pipe.leftover, *next->second);
    }
  }

  struct Made {
    const Event* event;  ///< the submission that names it first
    uint64_t capacity;
  };

  const Case& it_;
  std::map<PipeName, Made> made_;
  std::set<PipeName> named_;  // by tasks so far
  std::map<PipeName, Pipe> pipes_;
  std::set<std::pair<uint32_t, int64_t>> used_;  // by task and tag
  std::map<uint64_t, const Event*> next_;        // by group
};

}  // namespace

void check_pipes(const Case& it) {
  Pipes(it).check();
}

}  // namespace pto2::judging
