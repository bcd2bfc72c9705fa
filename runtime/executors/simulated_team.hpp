/// A seeded team (seeded_team.hpp) and the memory that its threads share.
#pragma once

#include "runtime/executors/sanitizer_switch.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/signal_stack.hpp"

namespace pto2::executors {

template <class Memory>
class SimulatedTeam : public SeededTeam {
 public:
  explicit SimulatedTeam(const typename Memory::Options& options)
      : SeededTeam(Memory::schedule_of(options)), memory_(options) {}

  /// As run_threads().
  void run() {
    const SignalStack handlers;
    memory_.begin(size());
    const Current<SimulatedTeam> current(active_, this);
    run_threads();
  }

  /// As the running thread sees it.
  [[nodiscard]] Memory& memory() {
    memory_.switch_to(running().number());
    return memory_;
  }

  /// The team with this kind of memory whose thread is running on this OS thread, or null. A fiber
  /// and its host share the OS thread's variables, not TSan's context.
  PTO2_UNSEEN_BY_TSAN static SimulatedTeam* active() { return active_; }

 private:
  static inline constinit thread_local SimulatedTeam* active_ = nullptr;

  Memory memory_;
};

}  // namespace pto2::executors
