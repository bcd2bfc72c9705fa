#include "models/checker/engine/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pto2::model::engine {

std::string progress_line(const Report& report, double per_second, double total) {
  char text[128];
  std::snprintf(text, sizeof text, "%llu executions, %llu blocked, %.0f per second",
                static_cast<unsigned long long>(report.executions),
                static_cast<unsigned long long>(report.blocked), per_second);
  std::string line = text;
  const double executions = static_cast<double>(report.executions);
  if (total <= executions) return line;
  // Two digits are more than the estimate is worth.
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(total)) - 1));
  std::snprintf(text, sizeof text,
                total < 1e15 ? ", about %.0f in all, %.1f %%" : ", about %.1e in all, %.1f %%",
                std::round(total / unit) * unit, 100 * executions / total);
  return line + text;
}

void Ledger::add(Tally& tally) {
  runs_ += tally.runs;
  report_.executions += tally.executions;
  report_.blocked += tally.blocked;
  tally = {};
}

bool Ledger::exhausted(std::size_t memory) {
  if (options_.max_executions != 0 && report_.executions >= options_.max_executions) {
    report_.reason =
        "the limit of " + std::to_string(options_.max_executions) + " executions was reached";
  } else if (options_.stop.stop_requested()) {
    report_.reason = stopped_reason;
  } else if (runs_ >= next_check_) {
    next_check_ = runs_ + 256;
    check_rare(memory);
  }
  return !report_.reason.empty();
}

void Ledger::check_rare(std::size_t memory) {
  report_.peak_memory_bytes = std::max(report_.peak_memory_bytes, memory);
  if (options_.max_memory_bytes != 0 && memory > options_.max_memory_bytes) {
    report_.reason = "the memory limit was reached";
    return;
  }
  if (options_.max_seconds <= 0 && !options_.progress) return;
  const double now = std::chrono::duration<double>(Clock::now() - start_).count();
  if (options_.max_seconds > 0 && now > options_.max_seconds) {
    report_.reason = "the time limit was reached";
  }
  if (options_.progress && now - shown_ > 1) {
    shown_ = now;
    const double total = size_ != nullptr ? size_->total() : 0;
    const std::string line = progress_line(report_, static_cast<double>(runs_) / now, total);
    std::fprintf(stderr, "%s: %s\n", options_.name.c_str(), line.c_str());
  }
}

}  // namespace pto2::model::engine
