/// A line on the terminal for work that takes longer than two seconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace pto2::cli {

class Progress {
 public:
  /// Shows nothing unless `wanted` and stderr is a terminal.
  explicit Progress(bool wanted);
  /// Takes the line away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says what is going on now.
  void stage(const std::string& text);
  /// `done` of `total` steps are done; gives rate and estimate. Total 1 gives none.
  void step(const std::string& text, uint64_t done, uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  void show();
  void print_line();

  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  bool shown_ = false;
  std::string text_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point first_step_ = begin_;
  std::thread thread_;
};

}  // namespace pto2::cli
