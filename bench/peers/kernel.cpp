#include "bench/peers/kernel.hpp"

namespace pto2::bench {

namespace {

/// What comes behind begins when all before has ended: beside the loop, which keeps one unit of the
/// CPU busy, a hundred turns' worth of the runtime would run else, for nothing.
inline void wait_for_all_before() {
#if defined(__x86_64__)
  asm volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace

[[gnu::noinline]] void spin(uint64_t turns) {
  // Each product waits for the one before, so that a turn takes as long as a multiplication,
  // wherever the loop lies in memory.
  uint64_t product = 1;
  wait_for_all_before();
  for (uint64_t i = 0; i < turns; ++i) {
    product *= 0x9e3779b97f4a7c15;
    asm volatile("" : "+r"(product));
  }
  wait_for_all_before();
}

void Record::run(uint32_t task) {
  // Some take longer than others, so that a missing edge shows.
  spin(task % 7 * 100);
  runs_[task].fetch_add(1, std::memory_order_relaxed);
  // Relaxed: the runtime orders them, and is what is checked.
  values_[task].store(
      value(task,
            [this](uint32_t other) { return values_[other].load(std::memory_order_relaxed); }),
      std::memory_order_relaxed);
}

template <class ValueOf>
uint64_t Record::value(uint32_t task, const ValueOf& value_of) const {
  uint64_t sum = task + 1;
  for (const uint32_t other : predecessors(pattern_, task)) sum = sum * 31 + value_of(other);
  return sum;
}

uint64_t Record::runs() const {
  uint64_t sum = 0;
  for (const auto& runs : runs_) sum += runs.load();
  return sum;
}

bool Record::correct() const {
  std::vector<uint64_t> expected;
  for (uint32_t task = 0; task < values_.size(); ++task) {
    expected.push_back(value(task, [&](uint32_t other) { return expected[other]; }));
    if (runs_[task].load() != 1 || values_[task].load() != expected[task]) return false;
  }
  return true;
}

}  // namespace pto2::bench
