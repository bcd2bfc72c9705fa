#include <algorithm>
#include <vector>

#include "runtime/judge/overlap.hpp"
#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

bool is_of_one_memory(const ParamRecord& a, const ParamRecord& b) {
  if (a.external != b.external) return false;
  return a.external ? a.memory == b.memory : a.owner == b.owner;
}

/// VR-I32 for one task.
class Reasons {
 public:
  Reasons(const Case& it, uint32_t task) : it_(it), task_(task) {}

  void check(const ProducerRecord& producer) const {
    const uint32_t found = it_.history.find(producer.task);
    if (found == no_index || found >= task_) return;  // VR-I5
    for (std::size_t use = 0; use < own().params.size(); ++use) {
      if (explains(found, use)) return;
    }
    it_.findings.add("VR-I32", "it reads nothing that its producer writes", it_.submit(task_),
                     it_.submit(found));
  }

 private:
  [[nodiscard]] const TaskRecord& own() const { return it_.record.tasks[task_]; }

  /// Whether the task waits for an earlier one because of this parameter.
  [[nodiscard]] bool explains(uint32_t found, std::size_t of_use) const {
    const ParamRecord& use = own().params[of_use];
    const TaskRecord& earlier = it_.record.tasks[found];
    if (use.pipe) {
      return earlier.group == own().group &&
             std::ranges::any_of(earlier.params, [&](const ParamRecord& write) {
               return write.pipe && write.tag == use.tag;
             });
    }
    if (!use.reads()) return false;
    // Of an owner that there is not nobody knows who has written it.
    if (!use.external && it_.history.find(use.owner) >= task_) return !earlier.params.empty();
    const std::optional<Bytes>& bytes = it_.history.bytes(task_, of_use);
    for (std::size_t i = 0; i < earlier.params.size(); ++i) {
      const ParamRecord& write = earlier.params[i];
      const std::optional<Bytes>& written = it_.history.bytes(found, i);
      if (write.writes() && is_of_one_memory(write, use) &&
          (!written || !bytes || may_share_bytes(write, *written, use, *bytes))) {
        return true;
      }
    }
    return false;
  }

  const Case& it_;
  uint32_t task_;
};

/// VR-I32: each of a task's producers is another one. Sorts them.
void check_repeats(const Case& it, uint32_t task, std::vector<TaskId>& producers) {
  std::ranges::sort(producers);
  const auto twice = std::ranges::adjacent_find(producers);
  if (twice == producers.end()) return;
  it.findings.add("VR-I32", text_of(*twice) + " is its producer twice", it.submit(task));
}

}  // namespace

void check_edges(const Case& it) {
  std::vector<TaskId> producers;
  for (uint32_t task = 0; task < it.record.tasks.size(); ++task) {
    const Reasons reasons(it, task);
    producers.clear();
    for (const ProducerRecord& producer : it.record.tasks[task].producers) {
      reasons.check(producer);
      producers.push_back(producer.task);
    }
    check_repeats(it, task, producers);
  }
}

}  // namespace pto2::judging
