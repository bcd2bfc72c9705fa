#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>

#include "models/checker/engine/execution.hpp"
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

/// Counts runs in a report, shows progress, and knows when to stop.
class Ledger {
 public:
  Ledger(const Options& options, Report& report) : options_(options), report_(report) {}

  void count(Outcome outcome);
  /// Whether a bound is hit; the report then says which. `memory` may be 0 when it was not
  /// measured.
  bool exhausted(std::size_t memory);

 private:
  using Clock = std::chrono::steady_clock;

  void check_rare(std::size_t memory);

  const Options& options_;
  Report& report_;
  Clock::time_point start_ = Clock::now();
  double shown_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace pto2::model::engine
