/// A line on the terminal about many runs, twice a second; nothing if stderr is no terminal.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>

#include "runtime/output/stderr_text.hpp"

namespace pto2::simulations {

class Progress {
 public:
  explicit Progress(uint64_t total) : total_(total) {}

  void add_one(uint64_t wrong) {
    ++done_;
    if (!terminal_ || (done_ % 16 != 0 && wrong == 0)) return;
    const double past = seconds();
    if (past < next_) return;
    next_ = past + 0.5;
    const double rate = static_cast<double>(done_) / past;
    cli::print_to_stderr("\r{} of {} seeds, {} wrong, {:.0f}/s, {:.0f} s left ", done_, total_,
                         wrong, rate, static_cast<double>(total_ - done_) / rate);
  }

  /// Since it was made.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  /// Takes the line away.
  void clear() const {
    if (terminal_) cli::print_to_stderr("\r{:72}\r", "");
  }

 private:
  uint64_t total_;
  uint64_t done_ = 0;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  double next_ = 0.5;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace pto2::simulations
