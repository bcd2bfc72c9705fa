#include <algorithm>

#include "runtime/validate/rules.hpp"

namespace pto2::validation {
namespace {

bool is_of_one_memory(const Param& a, const Param& b) {
  if (a.external != b.external) return false;
  return a.external ? a.memory == b.memory : a.owner == b.owner;
}

/// By their first and last bytes: between them the TensorMap need not look.
bool may_share_bytes(const Param& a, const Param& b) {
  const std::optional<Bytes> of_a = a.bytes();
  const std::optional<Bytes> of_b = b.bytes();
  return !of_a || !of_b || (of_a->begin < of_b->end && of_b->begin < of_a->end);
}

/// VR-I32 for one task.
class Reasons {
 public:
  Reasons(const Case& it, uint32_t task) : it_(it), task_(task) {}

  void check(const Producer& producer) const {
    const uint32_t found = it_.history.find(producer.task);
    if (found == no_index || found >= task_) return;  // VR-I5
    const Submission& earlier = it_.trace.submissions[found];
    const bool has_one = std::ranges::any_of(own().params, [&](const Param& use) {
      return std::ranges::any_of(earlier.params,
                                 [&](const Param& write) { return is_one(earlier, write, use); });
    });
    if (has_one) return;
    it_.findings.add("VR-I32", "it reads nothing that its producer writes", it_.submit(task_),
                     it_.submit(found));
  }

 private:
  [[nodiscard]] const Submission& own() const { return it_.trace.submissions[task_]; }

  [[nodiscard]] bool is_one(const Submission& earlier, const Param& write, const Param& use) const {
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
  for (uint32_t task = 0; task < it.trace.submissions.size(); ++task) {
    const Reasons reasons(it, task);
    for (const Producer& producer : it.trace.submissions[task].producers) reasons.check(producer);
  }
}

}  // namespace pto2::validation
