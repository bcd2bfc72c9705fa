#include "runtime/executors/kernel_watch.hpp"

namespace pto2::executors {

KernelState state_of(const CallingCode& code, pid_t thread) {
  const uint64_t turn = code.turn();
  return {.thread = thread,
          .begun = turn,
          .inside = thread != 0 && turn % 2 == 1,
          .is_orchestration = true};
}

KernelWatch::KernelWatch(const StuckKernels& what)
    : looks_(KernelWatch::looks_in(what.deadline_ms)),
      stuck_(what.found),
      mute_(what.mute),
      looked_(what.looked) {}

void KernelWatch::look(std::span<const KernelState> threads) {
  if (looked_) looked_(threads);
  if (looks_ == 0) return;
  seen_.resize(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const KernelState& now = threads[i];
    Seen& seen = seen_[i];
    const bool same = now.inside && seen.state.inside && now.begun == seen.state.begun;
    seen.state = now;
    seen.looks = same ? seen.looks + 1 : 0;
    if (seen.looks < looks_) continue;
    const uint64_t times = seen.looks - looks_ + 1;
    if (times <= patience) stuck_(now, times == patience);
    // Again if it comes back: for want of memory, perhaps.
    if (times >= 2 * patience) mute_(now);
  }
}

}  // namespace pto2::executors
