#include "runtime/executors/kernel_watch.hpp"

namespace pto2::executors {

void KernelWatch::look(std::span<const KernelState> threads) {
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
    if (times == 2 * patience) mute_();
  }
}

}  // namespace pto2::executors
