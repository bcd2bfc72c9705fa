#include "models/checker/engine/ledger.hpp"

#include <algorithm>
#include <cstdio>

namespace pto2::model::engine {

namespace {
volatile std::sig_atomic_t interrupted = 0;
}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, &outer_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &outer_, nullptr);
}

void Ledger::count(Outcome outcome) {
  ++runs_;
  if (outcome == Outcome::complete) ++report_.executions;
  if (outcome == Outcome::blocked || outcome == Outcome::pruned) ++report_.blocked;
}

bool Ledger::exhausted(std::size_t memory) {
  if (options_.max_executions != 0 && report_.executions >= options_.max_executions) {
    report_.reason =
        "the limit of " + std::to_string(options_.max_executions) + " executions was reached";
  } else if (interrupted != 0) {
    report_.reason = "it was interrupted";
  } else if (runs_ % 256 == 0) {
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
    std::fprintf(stderr, "%s: %llu executions, %llu blocked, %.0f per second\n",
                 options_.name.c_str(), static_cast<unsigned long long>(report_.executions),
                 static_cast<unsigned long long>(report_.blocked),
                 static_cast<double>(runs_) / now);
  }
}

}  // namespace pto2::model::engine
