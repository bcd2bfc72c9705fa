/// Says which runs were under way when the program ended in the middle of them: an invariant
/// that is broken aborts it, and a kernel may crash, call exit(), or not return where it cannot be
/// left.
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/device/crash_guard.hpp"

namespace pto2 {

/// One at a time in a program; it lives as long as the runs. The signals of a crash are a
/// CrashGuard's: one must live, too.
class CrashReport {
 public:
  /// `repeat` says how to repeat the run of a number. Empty: somebody else tells that.
  explicit CrashReport(std::function<std::string(uint64_t)> repeat) : repeat_(std::move(repeat)) {
    current = this;
    CrashGuard::say_more_by(list);
  }
  ~CrashReport() {
    CrashGuard::say_more_by(nullptr);
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
  /// Uses nothing that may be broken but memory for a line.
  static void list() {
    for (const auto& slot : current->under_way_) {
      const uint64_t past = slot.load();
      if (past != 0) current->tell(past - 1);
    }
  }
  void tell(uint64_t number) const {
    const std::string command = repeat_(number);
    if (command.empty()) return;
    const std::string line = "repeat: " + command + "\n";
    (void)!write(STDERR_FILENO, line.data(), line.size());
  }

  static inline CrashReport* current = nullptr;
  std::function<std::string(uint64_t)> repeat_;
  std::array<std::atomic<uint64_t>, 256> under_way_{};
};

}  // namespace pto2
