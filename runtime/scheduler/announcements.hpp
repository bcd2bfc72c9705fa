/// For which types of tasks a scheduler is announced among those who are parked
/// (core/parked_schedulers.hpp).
///
///   AN-I1: a scheduler that has withdrawn is not taken after that.
#pragma once

#include "runtime/scheduler/scheduler_desk.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class Announcements {
 public:
  explicit Announcements(SchedulerDesk<P, F>& desk) : desk_(desk) {}

  /// Before the last look into the queues of this type.
  void announce(uint32_t type) {
    desk_.state.parked[type].announce(desk_.id);
    announced_ |= bit_of(type);
  }
  /// If it was taken before, the look that comes next is what that was for; or an idle core is left
  /// no more, and another scheduler is woken (RD-I2).
  void withdraw(uint32_t type) {
    if (!is_announced(type)) return;
    announced_ &= ~bit_of(type);
    desk_.state.parked[type].retract(desk_.id);
  }
  void withdraw() {
    for (uint32_t type = 0; type < core_types; ++type) withdraw(type);
  }

  /// True if others may count on this scheduler to be asleep, or to look for tasks soon.
  [[nodiscard]] bool any() const { return announced_ != 0; }
  /// Bit t: it is announced for type t.
  [[nodiscard]] uint32_t types() const { return announced_; }
  /// True if it is announced for tasks of this type, or was and somebody has taken it.
  [[nodiscard]] bool is_announced(uint32_t type) const { return (announced_ & bit_of(type)) != 0; }
  /// True if it is announced for them, and nobody has taken it, as far as it has heard.
  [[nodiscard]] bool stands(uint32_t type) const {
    return is_announced(type) && desk_.state.parked[type].is_announced(desk_.id);
  }

 private:
  static constexpr uint32_t bit_of(uint32_t type) { return 1u << type; }

  SchedulerDesk<P, F>& desk_;
  uint32_t announced_ = 0;  // bit t: for type t
};

}  // namespace pto2
