/// Says which runs were under way when the program ended by a signal: an invariant that is broken
/// aborts it, and a kernel with a wrong address does so too.
#pragma once

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <string>

namespace pto2 {

/// One at a time in a program; it lives as long as the runs.
class CrashReport {
 public:
  /// `command` with "--runs A..B" behind it repeats a run.
  explicit CrashReport(std::string command) : command_(std::move(command)) {
    current = this;
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS}) std::signal(signal, report);
  }
  ~CrashReport() {
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS}) std::signal(signal, SIG_DFL);
    current = nullptr;
  }
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

  /// Calls run() as run `number`. From several threads, of which 256 at a time are reported.
  template <class Run>
  void during(uint64_t number, Run&& run) {
    std::atomic<uint64_t>* mine = nullptr;
    for (auto& slot : under_way_) {
      uint64_t none = 0;
      if (!slot.compare_exchange_strong(none, number + 1)) continue;
      mine = &slot;
      break;
    }
    run();
    if (mine != nullptr) mine->store(0);
  }

 private:
  /// Uses nothing that may be broken but the command.
  static void report(int signal) {
    for (const auto& slot : current->under_way_) {
      const uint64_t past = slot.load();
      if (past == 0) continue;
      std::array<char, 256> text;
      const auto end = fmt::format_to_n(text.data(), text.size(), "repeat: {} --runs {}..{}\n",
                                        current->command_, past - 1, past);
      (void)!write(STDERR_FILENO, text.data(), std::min(end.size, text.size()));
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }

  static inline CrashReport* current = nullptr;
  std::string command_;
  std::array<std::atomic<uint64_t>, 256> under_way_{};
};

}  // namespace pto2
