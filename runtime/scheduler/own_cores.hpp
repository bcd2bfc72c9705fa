/// The cores of one scheduler: which of them are idle, and what the others have.
///
///   OC-I1: a core of the scheduler is either idle or busy.
///   OC-I2: what is noted of a busy core is the task that it was given last.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/assert.hpp"
#include "core/task_id.hpp"
#include "runtime/chip/chip.hpp"
#include "runtime/chip/core_set.hpp"

namespace pto2 {

class OwnCores {
 public:
  /// Those of one type, by their number in the chip.
  struct OfType {
    explicit OfType(uint32_t limit) : idle(limit), busy(limit) {}

    /// The idle core of the lowest number gets something to do. Requires one.
    CoreId take_lowest() { return idle.move_lowest(busy); }
    /// The same of `core`, which is idle.
    void take(CoreId core) {
      PTO2_INVARIANT("OC-I1", idle.contains(core));
      idle.move(core, busy);
    }
    /// `core` has nothing to do any more.
    void give_back(CoreId core) {
      PTO2_INVARIANT("OC-I1", busy.contains(core));
      busy.move(core, idle);
    }

    CoreSet idle;
    CoreSet busy;
    bool more = false;  ///< tasks may be left that other schedulers could take
  };

  /// Those of scheduler `id` of the chip, all idle.
  OwnCores(const Chip& chip, SchedulerId id)
      : of_type_{OfType(chip.cores(CoreType::cube)), OfType(chip.cores()), OfType(0),
                 OfType(chip.cores())},
        running_(chip.workers()) {
    chip.for_each_core_of(id, [&](CoreId core) {
      of_type_[static_cast<uint32_t>(chip.type_of(core))].idle.insert(core);
    });
  }

  [[nodiscard]] OfType& operator[](uint32_t type) { return of_type_[type]; }
  [[nodiscard]] const OfType& operator[](uint32_t type) const { return of_type_[type]; }
  [[nodiscard]] OfType& operator[](CoreType type) { return of_type_[static_cast<uint32_t>(type)]; }

  // All types.
  [[nodiscard]] auto begin() const { return of_type_.begin(); }
  [[nodiscard]] auto end() const { return of_type_.end(); }
  [[nodiscard]] bool are_working() const {
    return std::ranges::any_of(of_type_, [](const OfType& cores) { return !cores.busy.empty(); });
  }

  /// A worker, one of the cores or the scheduler itself, gets this task.
  void note(WorkerId worker, SlotId task) { running_[worker.value] = task; }
  [[nodiscard]] SlotId task_of(WorkerId worker) const { return running_[worker.value]; }

 private:
  std::array<OfType, core_types> of_type_;
  std::vector<SlotId> running_;  // by worker: the task that it was given last
};

}  // namespace pto2
