#include "runtime/executors/begin_apart.hpp"

namespace pto2::executors {

BeginApart::BeginApart(std::size_t threads) : here_(sched_getcpu()) {
  CPU_ZERO(&all_);
  const bool known = here_ >= 0 && sched_getaffinity(0, sizeof all_, &all_) == 0;
  if (!known || static_cast<std::size_t>(CPU_COUNT(&all_)) <= threads) CPU_ZERO(&all_);
}

void BeginApart::place(std::size_t i, pthread_t thread) const {
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (cpu == here_ || !CPU_ISSET(cpu, &all_) || i-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    // Where the system refuses, the thread begins as any other.
    (void)pthread_setaffinity_np(thread, sizeof one, &one);
    return;
  }
}

void BeginApart::release() const {
  if (CPU_COUNT(&all_) != 0) (void)sched_setaffinity(0, sizeof all_, &all_);
}

}  // namespace pto2::executors
