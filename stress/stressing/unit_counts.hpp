/// How far a unit of `pto2 stress` has come, for processes that outlive its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stress/simulation/simulate.hpp"

namespace pto2::stress {

/// Lies in memory that other processes see, so that it is there when the unit's process has crashed
/// or was ended.
struct UnitCounts {
  /// Room for what was wrong with one run; the rest is cut off.
  static constexpr std::size_t kept_text = 4000;

  std::atomic<uint64_t> runs{0};
  std::atomic<uint64_t> tasks{0};
  std::atomic<uint64_t> seed{0};  ///< of the run under way or, at the end, of the last

  /// Of a run that was. One at a time.
  void add_wrong(uint64_t wrong_seed, const std::vector<std::string>& problems);
  /// How many there were.
  [[nodiscard]] uint64_t wrong() const { return wrong_.load(std::memory_order_acquire); }
  /// The first of them, as many as a report has.
  [[nodiscard]] std::vector<simulations::WrongSeed> first_wrong() const;

 private:
  struct WrongRun {
    uint64_t seed;
    char text[kept_text + 1];  // with a zero at its end
  };

  std::array<WrongRun, simulations::most_wrong> first_wrong_{};
  std::atomic<uint64_t> wrong_{0};  // those that are counted are complete
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace pto2::stress
