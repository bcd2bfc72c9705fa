#include "runtime/cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "runtime/output/stderr_text.hpp"
#include "runtime/output/whose_lack.hpp"

namespace pto2::cli {

Progress::Progress(bool wanted) {
  if (!wanted || isatty(STDERR_FILENO) == 0) return;
  thread_ = std::thread([this] {
    is_own_thread = true;
    show();
  });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
  if (shown_) print_to_stderr("\r\033[K");
}

void Progress::stage(const std::string& text) {
  step(text, 0, 0);
}

void Progress::step(const std::string& text, uint64_t done, uint64_t total) {
  const std::lock_guard lock(mutex_);
  if (done == 0) first_step_ = Clock::now();
  text_ = text;
  done_ = done;
  total_ = total;
}

void Progress::show() {
  constexpr auto patience = std::chrono::seconds(2);
  constexpr auto interval = std::chrono::milliseconds(250);
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, patience, [this] { return ended_; });
  while (!ended_) {
    print_line();
    wake_.wait_for(lock, interval, [this] { return ended_; });
  }
}

void Progress::print_line() {
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  std::string line = fmt::format("{}, {:.0f} s", text_, seconds(Clock::now() - begin_));
  if (total_ > 1) {
    line += fmt::format(", {} of {}", done_, total_);
    if (done_ != 0) {
      const double each = seconds(Clock::now() - first_step_) / static_cast<double>(done_);
      line += fmt::format(", {:.1f} per second, {:.0f} s to go", 1 / each,
                          each * static_cast<double>(total_ - done_));
    }
  }
  print_to_stderr("\r{}\033[K", line);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace pto2::cli
