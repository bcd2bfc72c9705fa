/// Ends a test program in which something does not end, with a report of who waits for what.
///
/// Without it a lost wake-up is a test that CTest kills after minutes, and nobody knows where.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace pto2::stress {

/// By how much time-outs are stretched, and counts of rounds divided, in this build: 1 without
/// sanitizers.
[[nodiscard]] int test_slowdown();

/// How long nothing may end before it is a hang, unless a guard is told otherwise.
inline constexpr std::chrono::milliseconds usual_hang_limit = std::chrono::seconds(45);

/// What becomes of such a limit: a build with sanitizers stretches it as it does CTest's time-outs;
/// the environment variable PTO2_HANG_SECONDS replaces it, for whoever plants a hang on purpose. It
/// is 20 ms at least and a year at most. Throws CliError (bad input) if the variable is neither
/// empty nor a number above 0.
[[nodiscard]] std::chrono::milliseconds hang_limit_in_force(
    std::chrono::milliseconds limit = usual_hang_limit);

class HangGuard {
 public:
  /// If neither progress() nor the destructor is called for `limit`, the guard writes `what`, the
  /// subject of the report, and the state of every team that runs to stderr and aborts the program.
  /// The limit is what hang_limit_in_force() makes of it; throws what that throws.
  explicit HangGuard(std::string what, std::chrono::milliseconds limit = usual_hang_limit);
  ~HangGuard();
  HangGuard(const HangGuard&) = delete;
  HangGuard& operator=(const HangGuard&) = delete;

  /// Something has ended: the limit begins anew. From any OS thread.
  void progress() { steps_.fetch_add(1, std::memory_order_relaxed); }

  /// While a guard starts its own thread, on the thread that made it (one_thread.cpp).
  static inline thread_local bool is_starting = false;

 private:
  [[nodiscard]] std::thread start();
  void watch();
  [[noreturn]] void report() const;

  std::string what_;
  std::chrono::milliseconds limit_;
  std::atomic<uint64_t> steps_{0};
  bool over_ = false;  // under mutex_
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace pto2::stress
