/// For which types of tasks a scheduler is announced among those who are parked
/// (core/parked_schedulers.hpp).
///
///   AN-I1: a scheduler that has withdrawn is not taken after that.
#pragma once

#include <algorithm>
#include <array>

#include "runtime/scheduler/scheduler_desk.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class Announcements {
 public:
  explicit Announcements(SchedulerDesk<P, F>& desk) : desk_(desk) {}

  /// Before the last look into the queues of this type.
  void announce(uint32_t type) {
    desk_.state.parked[type].announce(desk_.id);
    announced_[type] = true;
  }
  /// If it was taken before, the look that comes next is what that was for; or an idle core is left
  /// no more, and another scheduler is woken (RD-I2).
  void withdraw(uint32_t type) {
    if (!announced_[type]) return;
    announced_[type] = false;
    desk_.state.parked[type].retract(desk_.id);
  }
  void withdraw() {
    for (uint32_t type = 0; type < core_types; ++type) withdraw(type);
  }

  /// True if others may count on this scheduler to be asleep, or to look for tasks soon.
  [[nodiscard]] bool any() const {
    return std::ranges::any_of(announced_, [](bool announced) { return announced; });
  }
  /// True if it is announced for tasks of this type, or was and somebody has taken it.
  [[nodiscard]] bool is_announced(uint32_t type) const { return announced_[type]; }
  /// True if it is announced for them, and nobody has taken it, as far as it has heard.
  [[nodiscard]] bool stands(uint32_t type) const {
    return announced_[type] && desk_.state.parked[type].is_announced(desk_.id);
  }

 private:
  SchedulerDesk<P, F>& desk_;
  std::array<bool, core_types> announced_{};
};

}  // namespace pto2
