/// The two hosts of a team, of which the second naps while they are joint (core/host_pair.hpp). Two
/// OS threads that hand tasks to one another take longer than one alone while kernels are short, so
/// they begin as one, and part when kernels turn out to be long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "core/host_pair.hpp"
#include "runtime/executors/machine.hpp"

namespace pto2::executors {

/// Where a thread is in its team: those of a group ring each other most.
struct TeamPlace {
  uint32_t number;
  uint32_t group;  ///< 0: that of the orchestrator
};

/// Whether a thread stays with the one that has hosts part: half of the groups do, its own first,
/// or of a single one every other thread. Group 0 stays.
[[nodiscard]] constexpr bool stays_with(TeamPlace parting, TeamPlace thread, uint32_t last_group) {
  if (thread.group == 0) return true;
  if (last_group == 1) return thread.number % 2 == parting.number % 2;
  return (thread.group + last_group - parting.group) % last_group < last_group / 2;
}

class JointHosts {
 public:
  /// `may_join`: else they are apart for ever. No nap takes longer than `longest_nap`.
  JointHosts(bool may_join, std::chrono::nanoseconds longest_nap)
      : may_join_(may_join), longest_nap_(longest_nap), pair_(may_join) {}

  [[nodiscard]] bool may_join() const { return may_join_; }
  [[nodiscard]] const HostPair<Machine>& pair() const { return pair_; }
  [[nodiscard]] bool are_joint() const { return pair_.are_joint(); }
  void join() { pair_.join(); }
  /// As HostPair::part(), with or without fibers that move; ends the nap.
  template <class... Moving>
  void part(Moving&&... moving) {
    pair_.part(moving...);
    end_nap();
  }

  /// By the second host, while it has nothing to do: until they part, or for a while. It looks
  /// whether it has_work() before, and when end_nap() is called.
  template <class HasWork>
  void nap(HasWork&& has_work) {
    std::unique_lock lock(mutex_);
    nap_.wait_for(lock, longest_nap_, [&] { return !are_joint() || has_work(); });
  }
  void end_nap() {
    { const std::lock_guard lock(mutex_); }
    nap_.notify_all();
  }

 private:
  const bool may_join_;
  const std::chrono::nanoseconds longest_nap_;
  HostPair<Machine> pair_;
  std::mutex mutex_;
  std::condition_variable nap_;
};

}  // namespace pto2::executors
