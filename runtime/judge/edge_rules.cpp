#include <algorithm>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

bool is_of_one_memory(const ParamRecord& a, const ParamRecord& b) {
  if (a.external != b.external) return false;
  return a.external ? a.memory == b.memory : a.owner == b.owner;
}

/// By their first and last bytes: between them the TensorMap need not look.
bool may_share_bytes(const ParamRecord& a, const ParamRecord& b) {
  const std::optional<Bytes> of_a = a.bytes();
  const std::optional<Bytes> of_b = b.bytes();
  return !of_a || !of_b || (of_a->begin < of_b->end && of_b->begin < of_a->end);
}

/// VR-I32 for one task.
class Reasons {
 public:
  Reasons(const Case& it, uint32_t task) : it_(it), task_(task) {}

  void check(const ProducerRecord& producer) const {
    const uint32_t found = it_.history.find(producer.task);
    if (found == no_index || found >= task_) return;  // VR-I5
    const TaskRecord& earlier = it_.record.tasks[found];
    const bool has_one = std::ranges::any_of(own().params, [&](const ParamRecord& use) {
      return std::ranges::any_of(
          earlier.params, [&](const ParamRecord& write) { return is_one(earlier, write, use); });
    });
    if (has_one) return;
    it_.findings.add("VR-I32", "it reads nothing that its producer writes", it_.submit(task_),
                     it_.submit(found));
  }

 private:
  [[nodiscard]] const TaskRecord& own() const { return it_.record.tasks[task_]; }

  [[nodiscard]] bool is_one(const TaskRecord& earlier, const ParamRecord& write,
                            const ParamRecord& use) const {
    if (use.pipe) return write.pipe && write.tag == use.tag && earlier.group == own().group;
    if (!use.reads()) return false;
    // Of an owner that there is not nobody knows who has written it.
    if (!use.external && it_.history.find(use.owner) >= task_) return true;
    return write.writes() && is_of_one_memory(write, use) && may_share_bytes(write, use);
  }

  const Case& it_;
  uint32_t task_;
};

}  // namespace

void check_edges(const Case& it) {
  for (uint32_t task = 0; task < it.record.tasks.size(); ++task) {
    const Reasons reasons(it, task);
    for (const ProducerRecord& producer : it.record.tasks[task].producers) reasons.check(producer);
  }
}

}  // namespace pto2::judging
