/// A seeded team (seeded_team.hpp) whose threads see memory as weakly as C++ allows
/// (weak_memory.hpp).
#pragma once

#include <deque>
#include <string>

#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/weak_memory.hpp"

namespace pto2::executors {

/// The seed decides what loads see as well as the schedule.
struct WeakOptions {
  SeededOptions schedule = {.strategy = Strategy::random};
  std::optional<uint32_t> loads_per_stale = {};  ///< as of WeakMemoryOptions
};

class WeakTeam : public SeededTeam {
 public:
  explicit WeakTeam(const WeakOptions& options)
      : SeededTeam(options.schedule),
        memory_({.seed = options.schedule.seed, .loads_per_stale = options.loads_per_stale}) {}

  /// As of SeededTeam.
  void run() {
    memory_.begin(size());
    for (std::size_t i = 0; i < size(); ++i) bells_.emplace_back(size());
    SeededTeam::run();
  }

  // For the policy, on the running thread.

  /// As the running thread sees it.
  [[nodiscard]] WeakMemory& memory() {
    memory_.switch_to(running().number());
    return memory_;
  }
  /// What was done before happens before what `thread` does after its next hear().
  void ring(SeededThread& thread) {
    Bell& bell = bells_[thread.number()];
    memory().release(bell.rung);
    bell.heard = false;
    thread.ring();
  }
  /// Returns once the running thread has been rung since the last return. Rings that end a park()
  /// of it count: what they tell has not been heard.
  void hear() {
    Bell& bell = bells_[running().number()];
    while (bell.heard) park();
    bell.heard = true;
    memory().acquire(bell.rung);
  }
  /// The running thread's access, to data of type `type`, races with another. Nothing if it does
  /// not.
  void check(const std::optional<PlainRace>& race, const char* access, const char* type) {
    if (!race) [[likely]]
      return;
    tell(*race, access, type);
  }
  /// The team whose thread is running on this OS thread, or null. It must not be a SeededTeam.
  static WeakTeam* current() { return static_cast<WeakTeam*>(SeededTeam::current()); }

 private:
  [[noreturn]] void tell(const PlainRace& race, const char* access, const char* type);

  struct Bell {
    explicit Bell(std::size_t threads) : rung(threads) {}
    VectorClock rung;    ///< what the rings have published
    bool heard = false;  ///< all of them; the start counts as a ring
  };

  WeakMemory memory_;
  std::deque<Bell> bells_;  // entry i: thread i's
};

}  // namespace pto2::executors
