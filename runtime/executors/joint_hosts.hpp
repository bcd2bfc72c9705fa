/// Whether the two hosts of a team are joint: all fibers are at the first of them, and the other
/// naps. Two OS threads that hand tasks to one another take longer than one alone while kernels are
/// short, so they begin as one, and part when kernels turn out to be long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "runtime/executors/machine.hpp"

namespace pto2::executors {

class JointHosts {
 public:
  /// `may_join`: else they are apart for ever.
  explicit JointHosts(bool may_join) : may_join_(may_join), joint_(may_join) {}

  [[nodiscard]] bool may_join() const { return may_join_; }
  [[nodiscard]] bool are_joint() const { return joint_.load(std::memory_order_relaxed); }
  void join() { joint_.store(true, std::memory_order_relaxed); }
  void part() {
    joint_.store(false, std::memory_order_relaxed);
    end_nap();
  }

  /// By the host that has nothing to do: until the hosts part or is_over(), or for a while. Whoever
  /// makes is_over() true calls end_nap(), or lets it nap for the rest of the while.
  template <class IsOver>
  void nap(IsOver&& is_over) {
    std::unique_lock lock(mutex_);
    nap_.wait_for(lock, longest_nap, [&] { return !are_joint() || is_over(); });
  }
  void end_nap() {
    { const std::lock_guard lock(mutex_); }
    nap_.notify_all();
  }

 private:
  /// A kernel that gets long has the others wait for so long, once.
  static constexpr std::chrono::microseconds longest_nap{200};

  const bool may_join_;
  Machine::atomic<bool> joint_;
  std::mutex mutex_;
  std::condition_variable nap_;
};

}  // namespace pto2::executors
