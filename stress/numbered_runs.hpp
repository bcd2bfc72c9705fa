/// Numbered runs, one after the other or several at a time, with progress on a terminal: what soak
/// and random_graphs share.
#pragma once

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/output/numbers.hpp"

namespace pto2 {

/// A line on the terminal, twice a second. Used by several threads.
class RunProgress {
 public:
  explicit RunProgress(const cli::NumberRange& runs) : total_(runs.size()) {}

  void add_one() {
    const uint64_t done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!terminal_ || done % 64 != 0) return;
    const std::lock_guard lock(mutex_);
    const double past = seconds();
    if (past < next_) return;
    next_ = past + 0.5;
    const double rate = static_cast<double>(done) / past;
    fmt::print(stderr, "\r{} of {} runs, {:.0f}/s, {:.0f} s left ", done, total_, rate,
               static_cast<double>(total_ - done) / rate);
  }

  /// Since it was made.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  /// Takes the line away.
  void clear() const {
    if (terminal_) fmt::print(stderr, "\r{:60}\r", "");
  }

 private:
  uint64_t total_;
  std::atomic<uint64_t> done_{0};
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::mutex mutex_;
  double next_ = 0.5;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Calls run(n) for each number, on `jobs` OS threads that take the next one each. Returns the
/// seconds that it took.
template <class Run>
double for_each_run(const cli::NumberRange& runs, uint32_t jobs, Run&& run) {
  RunProgress progress(runs);
  std::atomic<uint64_t> taken{0};
  const auto work = [&] {
    for (uint64_t i = taken++; i < runs.size(); i = taken++) {
      run(runs.first + i);
      progress.add_one();
    }
  };
  {
    std::vector<std::jthread> others;
    for (uint32_t i = 1; i < jobs; ++i) others.emplace_back(work);
    work();
  }
  progress.clear();
  return progress.seconds();
}

}  // namespace pto2
