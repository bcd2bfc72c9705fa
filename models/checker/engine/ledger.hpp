#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/size_estimate.hpp"
#include "pto2/checker/report.hpp"

namespace pto2::model::engine {

/// The reason of a report whose search ended because Options::stop asked for it.
inline constexpr const char* stopped_reason = "it was stopped";

/// Such as "250 executions, 3 blocked, 100 per second, about 1000 in all, 25.0 %". A `total`
/// that is 0 or refuted already is not mentioned.
std::string progress_line(const Report& report, double per_second, double total);

/// Runs that are not in a report yet.
struct Tally {
  std::uint64_t runs = 0, executions = 0, blocked = 0;

  void count(ExecutionEnd end) {
    ++runs;
    if (end == ExecutionEnd::complete) ++executions;
    if (end == ExecutionEnd::blocked || end == ExecutionEnd::pruned) ++blocked;
  }
};

/// Counts runs in a report, shows progress, and knows when to stop.
class Ledger {
 public:
  using Clock = std::chrono::steady_clock;

  /// `size` may be null. `start` is that of the first search, if this one began anew.
  Ledger(const Options& options, Report& report, const SizeEstimate* size, Clock::time_point start)
      : options_(options), report_(report), size_(size), start_(start) {}

  /// Moves the counts into the report.
  void add(Tally& tally);
  void count(ExecutionEnd end) {
    Tally tally;
    tally.count(end);
    add(tally);
  }
  /// Whether a bound is hit; the report then says which. `memory` may be 0 when it was not
  /// measured.
  bool exhausted(std::size_t memory);

 private:
  void check_rare(std::size_t memory);

  const Options& options_;
  Report& report_;
  const SizeEstimate* size_;
  const Clock::time_point start_;
  double shown_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t next_check_ = 256;  // in runs, of what is not worth looking at after each
};

}  // namespace pto2::model::engine
