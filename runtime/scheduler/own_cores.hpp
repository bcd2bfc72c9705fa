/// The cores of one scheduler: which of them are idle, and what the others have.
///
///   OC-I1: a core of the scheduler is either idle or busy. Nobody finds idle ones that are set
///          aside.
///   OC-I2: what is noted of a busy core is the task that it was given last.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "core/task_id.hpp"
#include "runtime/chip/chip.hpp"
#include "runtime/chip/core_set.hpp"

namespace pto2 {

class OwnCores {
 public:
  /// Of those of one type.
  struct OfType {
    explicit OfType(uint32_t limit) : idle(limit) {}

    CoreSet idle;
    bool passed_on = false;  ///< a ticket was, since the last dispatch
  };

  /// Those of scheduler `id` of the chip, all idle.
  OwnCores(const Chip& chip, SchedulerId id)
      : of_type_{OfType(chip.cores(CoreType::cube)), OfType(chip.cores()), OfType(0),
                 OfType(chip.cores())},
        aside_(of_type_),
        busy_(chip.cores()),
        workers_(chip.workers()) {
    for (uint32_t worker = 0; worker < workers_.size(); ++worker) {
      workers_[worker].type = static_cast<uint32_t>(chip.type_of(WorkerId(worker)));
    }
    chip.for_each_core_of(id, [&](CoreId core) {
      all_.push_back(core);
      of_type_[type_of(core)].idle.insert(core);
    });
  }

  [[nodiscard]] OfType& operator[](uint32_t type) { return of_type_[type]; }
  [[nodiscard]] const OfType& operator[](uint32_t type) const { return of_type_[type]; }
  [[nodiscard]] OfType& operator[](CoreType type) { return of_type_[static_cast<uint32_t>(type)]; }

  [[nodiscard]] std::span<const CoreId> all() const { return all_; }
  /// Those that are not idle, of all types.
  [[nodiscard]] const CoreSet& busy() const { return busy_; }
  [[nodiscard]] uint32_t type_of(CoreId core) const { return workers_[core.value].type; }

  /// Tasks of this type may be left that other schedulers could take.
  void note_more(uint32_t type) { more_ |= uint32_t{1} << type; }
  /// Whether that was noted of any type.
  [[nodiscard]] bool have_more() const { return more_ != 0; }
  /// Whether it was noted of this one, which is forgotten.
  [[nodiscard]] bool take_more(uint32_t type) {
    const uint32_t before = more_;
    more_ &= ~(uint32_t{1} << type);
    return more_ != before;
  }

  /// The idle core of this type with the lowest number gets something to do. Requires one.
  CoreId take_lowest(uint32_t type) { return of_type_[type].idle.move_lowest(busy_); }
  /// The same of `core`, which is idle.
  void take(CoreId core) {
    CoreSet& idle = of_type_[type_of(core)].idle;
    PTO2_INVARIANT("OC-I1", idle.contains(core));
    idle.move(core, busy_);
  }
  /// `core` has nothing to do any more.
  void give_back(CoreId core) {
    PTO2_INVARIANT("OC-I1", busy_.contains(core));
    busy_.move(core, of_type_[type_of(core)].idle);
  }

  /// No core is idle until put_idle_back(), before which nothing is given back. Once is enough.
  void set_idle_aside() {
    if (!std::exchange(are_set_aside_, true)) swap_idle();
  }
  /// Nothing if none were set aside.
  void put_idle_back() {
    if (std::exchange(are_set_aside_, false)) swap_idle();
  }
  [[nodiscard]] bool are_set_aside() const { return are_set_aside_; }

  /// A worker, one of the cores or the scheduler itself, gets this task.
  void note(WorkerId worker, SlotId task) { workers_[worker.value].task = task; }
  [[nodiscard]] SlotId task_of(WorkerId worker) const { return workers_[worker.value].task; }

 private:
  struct Worker {
    SlotId task;  ///< the one that it was given last
    uint32_t type = 0;
  };

  void swap_idle() {
    for (uint32_t type = 0; type < core_types; ++type) {
      std::swap(of_type_[type].idle, aside_[type].idle);
    }
  }

  std::vector<CoreId> all_;
  std::array<OfType, core_types> of_type_;
  std::array<OfType, core_types> aside_;  // its sets of idle ones
  bool are_set_aside_ = false;
  CoreSet busy_;
  uint32_t more_ = 0;  // bit t: of type t
  std::vector<Worker> workers_;
};

}  // namespace pto2
