#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/judge/accesses.hpp"
#include "runtime/judge/overlap.hpp"
#include "runtime/judge/paths.hpp"
#include "runtime/judge/rules.hpp"
#include "runtime/record/checked.hpp"

namespace pto2::judging {
namespace {

struct Memory {
  Accesses reads;
  Accesses writes;
};

/// An older access that a new one must be ordered after if they share a byte.
struct Conflict {
  const Access* older;
  Access newer;

  [[nodiscard]] bool share_bytes() const {
    return judging::share_bytes(*older->param, older->bytes, *newer.param, newer.bytes);
  }
};

class Races {
 public:
  explicit Races(const Case& it) : it_(it), paths_(it.record.tasks.size()) {}

  void check() {
    make_places();
    for (uint32_t task = 0; task < it_.record.tasks.size(); ++task) {
      for (const ProducerRecord& producer : it_.record.tasks[task].producers) {
        const uint32_t found = it_.history.find(producer.task);
        if (found < task) paths_.add(found, task);
      }
      come_behind_pipes(task);
      find_conflicts(task);
      judge(task);
      remember(task);
    }
  }

 private:
  void make_places() {
    for (uint32_t task = 0; task < it_.record.tasks.size(); ++task) {
      visit_accesses(task, [](const Access& access, Memory& memory) {
        (access.param->writes() ? memory.writes : memory.reads).expect(access);
      });
    }
    for (auto& [name, memory] : memories_) {
      memory.reads.make_places();
      memory.writes.make_places();
    }
  }

  /// External memory by its number, buffers of the runtime by their owner.
  Memory& memory_of(const ParamRecord& param) {
    const uint64_t owner = param.external ? 0 : it_.history.find(param.owner);
    return memories_[{param.external ? param.memory : owner, param.external}];
  }

  /// Calls visit(access, memory) for each tensor of a task. One whose bytes do not fit 64 bits is
  /// refused by VR-I16, and has no place here.
  template <class Visitor>
  void visit_accesses(uint32_t task, Visitor&& visit) {
    const std::vector<ParamRecord>& params = it_.record.tasks[task].params;
    for (std::size_t i = 0; i < params.size(); ++i) {
      const ParamRecord& param = params[i];
      if (param.direction == Direction::none) continue;
      const std::optional<Bytes>& bytes = it_.history.bytes(task, i);
      if (bytes) visit(Access{task, &param, *bytes}, memory_of(param));
    }
  }

  /// Of those who name a pipe each comes behind the one before.
  void come_behind_pipes(uint32_t task) {
    const TaskRecord& submission = it_.record.tasks[task];
    for (const ParamRecord& param : submission.params) {
      if (!param.pipe) continue;
      const auto found = pipes_.try_emplace({submission.group, param.tag}, task).first;
      come_behind(std::exchange(found->second, task), task);
    }
  }

  void find_conflicts(uint32_t task) {
    conflicts_.clear();
    visit_accesses(task, [&](const Access& access, Memory& memory) {
      const ParamRecord& param = *access.param;
      memory.writes.visit_overlapping(access, [&](const Access& older) {
        if (param.reads() && come_behind(older.task, task)) return false;
        conflicts_.push_back({&older, access});
        return false;
      });
      if (!param.writes()) return;
      memory.reads.visit_overlapping(access, [&](const Access& older) {
        conflicts_.push_back({&older, access});
        return false;
      });
    });
  }

  /// Who reads what may have been written, or names a pipe, is ordered behind whoever was there
  /// before: by an edge, unless that one was consumed by then. True: so it was.
  bool come_behind(uint32_t older, uint32_t task) {
    if (!was_consumed(older, it_.submit(task))) return false;
    paths_.add(older, task);
    return true;
  }

  /// At a moment that may be that of the step.
  [[nodiscard]] bool was_consumed(uint32_t task, const Event& by) const {
    const TaskHistory& history = it_.history.of(task);
    if (!history.consume.has() || history.needs_more) return false;
    return it_.event(history.consume.event).before <= by.t &&
           !is_late(it_.event(history.needed), by);
  }

  /// Most are ordered. To see that takes less than to compare rows.
  void judge(uint32_t task) {
    drop_ordered(task);
    for (const Conflict& conflict : conflicts_) {
      if (!conflict.share_bytes()) continue;
      const auto& [older, newer] = conflict;
      it_.findings.add("VR-I23",
                       fmt::format("{} bytes that {} {} without order",
                                   newer.param->writes() ? "writes" : "reads",
                                   text_of(it_.record.tasks[older->task].task),
                                   older->param->writes() ? "writes" : "reads"),
                       it_.submit(task), it_.submit(older->task));
    }
  }

  /// Forgets the conflicts with tasks from which a path leads to this one.
  void drop_ordered(uint32_t task) {
    older_.clear();
    for (const Conflict& conflict : conflicts_) older_.push_back(conflict.older->task);
    paths_.find(task, older_);
    std::erase_if(conflicts_,
                  [&](const Conflict& conflict) { return paths_.has_found(conflict.older->task); });
  }

  /// A write in one piece takes the place of what it covers: whoever meets that meets the write.
  void remember(uint32_t task) {
    visit_accesses(task, [](const Access& access, Memory& memory) {
      if (!access.param->writes()) return memory.reads.add(access);
      if (is_in_one_piece(access)) {
        const auto is_covered = [&](const Access& older) {
          return access.bytes.begin <= older.bytes.begin && older.bytes.end <= access.bytes.end;
        };
        memory.writes.visit_overlapping(access, is_covered);
        memory.reads.visit_overlapping(access, is_covered);
      }
      memory.writes.add(access);
    });
  }

  static bool is_in_one_piece(const Access& access) {
    Checked<uint64_t> bytes = access.param->element;
    for (uint32_t i = 0; i < access.param->dims; ++i) bytes = bytes * access.param->extent[i];
    return bytes.result() == access.bytes.end - access.bytes.begin;
  }

  const Case& it_;
  std::map<std::pair<uint64_t, bool>, Memory> memories_;
  std::map<std::pair<int64_t, int64_t>, uint32_t>
      pipes_;  // the last who named it, by group and tag
  Paths paths_;
  std::vector<Conflict> conflicts_;
  std::vector<uint32_t> older_;  // the tasks of these
};

}  // namespace

void check_races(const Case& it) {
  Races(it).check();
}

}  // namespace pto2::judging
