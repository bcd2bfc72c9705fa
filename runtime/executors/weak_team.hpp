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
    for (std::size_t i = 0; i < size(); ++i) rings_.emplace_back(size());
    SeededTeam::run();
  }

  // For the policy, on the running thread.

  /// As the running thread sees it.
  [[nodiscard]] WeakMemory& memory() {
    memory_.switch_to(running().number());
    return memory_;
  }
  /// What was done before happens before what `thread` does after its next park().
  void ring(SeededThread& thread) {
    memory().release(rings_[thread.number()]);
    thread.ring();
  }
  /// Returns once the running thread has been rung since the last return.
  void hear() {
    park();
    memory().acquire(rings_[running().number()]);
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

  WeakMemory memory_;
  std::deque<VectorClock> rings_;  // entry i: what the rings of thread i have published
};

}  // namespace pto2::executors
