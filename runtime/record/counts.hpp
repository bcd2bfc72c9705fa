/// What the threads of a run counted.
#pragma once

#include <cstdint>
#include <span>

namespace pto2 {

/// All of one run alone. Ticks are nanoseconds, or points of a simulated schedule.
struct Counts {
  uint64_t tasks = 0;
  uint64_t edges_linked = 0;
  uint64_t edges_early = 0;
  uint64_t holds = 0;
  uint64_t dispatches = 0;
  uint64_t loans = 0;
  uint64_t acks = 0;
  uint64_t fins = 0;
  uint64_t completions = 0;
  uint64_t steals = 0;
  uint64_t cas_retries = 0;
  uint64_t waits = 0;
  uint64_t wait_ticks = 0;
  uint64_t scheduler_parks = 0;
  uint64_t peak_window = 0;
  uint64_t slots_recycled = 0;
  uint64_t kernel_ticks = 0;
  uint64_t points = 0;
  uint64_t host_threads = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
};

struct CountRow {
  const char* name;  ///< in files
  uint64_t Counts::*member;
  const char* meaning;  ///< for the documentation
};
/// All of them.
[[nodiscard]] std::span<const CountRow> count_table();

}  // namespace pto2
