/// What a task does, the same code in every runtime: nothing, a busy loop, or a sum that comes out
/// right only if the task runs once, after all its predecessors.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "bench/peers/patterns.hpp"

namespace pto2::bench {

/// The busy loop. Never inlined: the code that is calibrated is the one that runs.
void spin(uint64_t turns);

/// Which tasks have run, and what they have computed.
class Record {
 public:
  Record(Pattern pattern, uint32_t tasks) : pattern_(pattern), runs_(tasks), values_(tasks) {}

  void run(uint32_t task);
  /// Runs of all tasks together.
  [[nodiscard]] uint64_t runs() const;
  /// Whether each task ran once and computed what it does in the order of their numbers.
  [[nodiscard]] bool correct() const;

 private:
  template <class ValueOf>
  [[nodiscard]] uint64_t value(uint32_t task, const ValueOf& value_of) const;

  Pattern pattern_;
  std::vector<std::atomic<uint32_t>> runs_;
  std::vector<std::atomic<uint64_t>> values_;
};

struct Kernel {
  uint64_t turns = 0;        ///< 0: empty
  Record* record = nullptr;  ///< null: nothing is checked
};

/// The kernel of this process. Set while no task runs.
inline Kernel kernel;

/// Has it take this time, or a little less: whole turns, which are returned.
inline uint64_t set_kernel_ns(double wanted_ns, double turns_per_ns) {
  kernel.turns = static_cast<uint64_t>(wanted_ns * turns_per_ns);
  return kernel.turns;
}

inline void run_kernel(uint32_t task) {
  if (kernel.turns != 0) spin(kernel.turns);
  if (kernel.record != nullptr) kernel.record->run(task);
}

}  // namespace pto2::bench
