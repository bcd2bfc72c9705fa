#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stop_token>
#include <vector>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/exhaustive.hpp"

namespace pto2::model::engine {

/// Estimates the number of complete executions from a sample of the search tree, level by level: a
/// node is a run, its children are the choices that were open in it. Of the children of a level at
/// most `width` are kept, each equally likely, and stand for the others as well (Vaisman and
/// Kroese, "Stochastic enumeration method for counting trees", Methodology and Computing in Applied
/// Probability 19, 2017). The expectation is the true number; a width that no level exceeds gives
/// it exactly.
///
/// Neither Knuth's random descents ("Estimating the efficiency of backtrack programs", 1975) nor
/// the share of the tree that lies behind the search can do this here: what a backward revisit
/// leads to is larger or smaller than its siblings by orders of magnitude, and an estimate that
/// gives siblings equal weights is off by as much.
class TreeSample {
 public:
  TreeSample(const Options& options, const std::function<void()>& body)
      : execution_(options, body), search_(options), random_(options.seed), stop_(options.stop) {}

  /// One estimate; negative when an execution fails or meets a limit, or a stop is requested: each
  /// of them ends the search too.
  double take(std::size_t width);
  /// Bytes of the graphs that the last estimate held at one time.
  std::size_t memory() const { return memory_; }

 private:
  struct Child {
    std::size_t parent;
    EventId event;
    Choice choice;
  };

  /// Runs a level and lists its children. Returns how many of the runs are complete; negative when
  /// one is not to be counted at all.
  double run_level();
  void list_children(std::size_t parent);
  double thin_out(std::size_t width);

  Execution execution_;
  Exhaustive search_;
  std::mt19937_64 random_;
  std::stop_token stop_;
  std::vector<Exhaustive::Branch> level_;
  std::vector<Exhaustive::Branch> next_;
  std::vector<Child> children_;
  std::size_t memory_ = 0;
};

/// The mean of estimates, by weight, and whether they agree.
class WeightedMean {
 public:
  void add(double value, double weight);
  double mean() const { return weighted_ / weights_; }
  /// Standard error of the mean, relative to it; infinite while there is too little to tell.
  double relative_error() const;

 private:
  double weights_ = 0, weighted_ = 0;                // sums of w and w x
  double squares_ = 0, linear_ = 0, quadratic_ = 0;  // sums of w^2, w^2 x and w^2 x^2
};

/// An estimate that gets better while a search runs, in a small share of the search's time.
class SizeEstimate {
 public:
  /// Nothing is estimated unless the options ask for progress.
  SizeEstimate(const Options& options, const std::function<void()>& body);

  /// To be called by one OS thread between its runs.
  void improve_if_due() {
    if (sample_ != nullptr && ++calls_ % 256 == 0) improve();
  }
  /// Complete executions in all; 0 while that is not known to a quarter. Any OS thread may ask.
  double total() const { return total_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  void improve();

  std::unique_ptr<TreeSample> sample_;
  Clock::time_point start_ = Clock::now();
  Clock::duration spent_{0};
  std::uint64_t calls_ = 0;
  std::size_t width_ = 16;
  WeightedMean estimates_;
  std::atomic<double> total_{0};
};

}  // namespace pto2::model::engine
