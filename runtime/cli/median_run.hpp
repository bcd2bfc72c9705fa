/// The median of many repetitions.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "runtime/device/run_result.hpp"

namespace pto2::cli {

/// Of as many repetitions as are wanted, what the one with the lower median of the wall times has
/// counted. Of the others nothing is kept: of a million results, a gigabyte.
class MedianRun {
 public:
  explicit MedianRun(uint64_t wanted) : wanted_(wanted) {}

  /// One more, of `wanted` at most.
  void add(const RunResult& result) {
    runs_.emplace(std::pair(result.wall_ns, added_), Run{result, result.open_scopes});
    ++added_;
    // Those to come may be faster than all, or slower.
    const uint64_t to_come = wanted_ - added_;
    if (faster_ + to_come < (wanted_ - 1) / 2) {
      runs_.erase(runs_.begin());
      ++faster_;
    }
    if (faster_ + runs_.size() - 1 > wanted_ / 2) runs_.erase(std::prev(runs_.end()));
  }

  /// The median, if all have been added.
  [[nodiscard]] double seconds() const {
    return (static_cast<double>(runs_.begin()->first.first) +
            static_cast<double>(runs_.rbegin()->first.first)) /
           2e9;
  }
  /// Of the same: what it counted, in place of what another one did.
  void put_into(RunResult& result) const {
    const auto& [key, run] = *runs_.begin();
    static_cast<Counts&>(result) = run.counts;
    result.wall_ns = key.first;
    result.open_scopes = run.open_scopes;
  }

 private:
  /// What differs between repetitions that have ended well.
  struct Run {
    Counts counts;
    uint64_t open_scopes;
  };

  uint64_t wanted_;
  uint64_t added_ = 0;
  uint64_t faster_ = 0;                                ///< that are no candidates any more
  std::map<std::pair<uint64_t, uint64_t>, Run> runs_;  ///< candidates, by wall time and number
};

}  // namespace pto2::cli
