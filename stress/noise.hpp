/// Schedule noise: disturbs the OS threads of this process while it lives, so that orders of steps
/// occur that a quiet machine does not show.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/executors/random.hpp"

namespace pto2::stress {

/// What is done to a thread, at any instruction of it, or to all.
enum class NoiseKind : uint32_t {
  yields,   ///< it gives up its processor
  delays,   ///< it does nothing for up to 200 microseconds
  pinning,  ///< it may run on one processor alone from now on; not the first thread
  crowd,    ///< twice as many other threads as there are processors want to run, too
  /// Its nice value becomes one from that of the first thread to 19; smaller than it is, only where
  /// this process may. That of the first thread, which others inherit, stays.
  priorities,
};

/// Reads names of kinds with commas between them, or `all`, or else `none` alone. Throws
/// std::invalid_argument, which lists what there is.
[[nodiscard]] std::vector<NoiseKind> noise_named(std::string_view list);
/// The list again, in the order of NoiseKind.
[[nodiscard]] std::string noise_text(const std::vector<NoiseKind>& kinds);

class Noise {
 public:
  /// Takes the signal SIGURG for its own, whose handler may run on any stack, fibers' included.
  /// `seed` decides what is done, not to whom it happens. Throws std::system_error if the system
  /// refuses an OS thread.
  Noise(std::vector<NoiseKind> kinds, uint64_t seed);
  ~Noise();
  Noise(const Noise&) = delete;
  Noise& operator=(const Noise&) = delete;

  /// How often a thread was disturbed so far.
  [[nodiscard]] uint64_t disturbed() const { return disturbed_.load(std::memory_order_relaxed); }

 private:
  void start();
  void end();  ///< of the threads that have begun
  void disturb();
  bool do_to(pid_t thread, NoiseKind kind);
  void crowd();
  void be_one_of_the_crowd(executors::Random random);
  [[nodiscard]] std::vector<pid_t> others();

  std::vector<NoiseKind> kinds_;  // without the crowd
  executors::Random random_;
  std::atomic<bool> over_{false};
  std::atomic<uint64_t> disturbed_{0};
  std::vector<int> processors_;  // that this process may use
  std::mutex mutex_;
  std::vector<pid_t> own_;  // threads of the crowd; under mutex_
  std::vector<std::thread> threads_;
};

}  // namespace pto2::stress
