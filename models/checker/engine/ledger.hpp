#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/size_estimate.hpp"
#include "pto2/checker/report.hpp"

namespace pto2::model::engine {

/// While one exists, Ctrl-C ends the search, which then reports what it covered.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction outer_ = {};
};

/// Such as "250 executions, 3 blocked, 100 per second, about 1000 in all, 25.0 %". A `total`
/// that is 0 or refuted already is not mentioned.
std::string progress_line(const Report& report, double per_second, double total);

/// Counts runs in a report, shows progress, and knows when to stop.
class Ledger {
 public:
  /// `size` may be null.
  Ledger(const Options& options, Report& report, const SizeEstimate* size)
      : options_(options), report_(report), size_(size) {}

  void count(Outcome outcome);
  /// Whether a bound is hit; the report then says which. `memory` may be 0 when it was not
  /// measured.
  bool exhausted(std::size_t memory);

 private:
  using Clock = std::chrono::steady_clock;

  void check_rare(std::size_t memory);

  const Options& options_;
  Report& report_;
  const SizeEstimate* size_;
  Clock::time_point start_ = Clock::now();
  double shown_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace pto2::model::engine
