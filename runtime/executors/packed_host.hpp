/// A host of the packed executor: one OS thread that runs fibers.
///
/// Every logical thread is a fiber at home on one host. What a host knows of its fibers is plain
/// data under the host's lock, which its OS thread holds except while a kernel runs (detached) or
/// while it ends. So the common ring, of a fiber on the same host, is one OR instruction.
///
///   runnable   bit f: fiber f was rung since it last returned from idle()
///   inbox      the same, rung from other OS threads; drained into runnable
///
/// A host without work takes fibers from a host that is inside a kernel: the lock is free then.
/// A thief waits until it has seen the same kernel run for a while, so that the fibers of short
/// kernels stay together.
///
/// Sleeping is a store-buffering situation twice over (ring against sleep, detach against sleep);
/// the flags on both sides are therefore accessed in the single total order of seq_cst.
///
/// A report (state(), showed_runnable()) is read from other OS threads while the host goes on. It
/// takes no lock, which a sleeping host would never give: the host shows the bits of `runnable`
/// when it stops running fibers, that is when it sleeps or detaches, and a thief shows them when it
/// is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/executors/logical_thread.hpp"

namespace pto2::executors {

class PackedTeam;

class alignas(64) PackedHost {
 public:
  PackedHost(PackedTeam& team, uint32_t index, uint32_t fibers);

  /// Runs fibers until every fiber of the team has finished.
  void run();

  /// Marks fiber `f` runnable. The caller runs on this host and is not detached.
  void ring_here(uint32_t f) { runnable_[f / 64] |= uint64_t{1} << (f % 64); }
  /// The same from any other OS thread.
  void ring_remotely(uint32_t f);

  /// Around a kernel: gives the other hosts access to this one's fibers.
  void detach();
  void attach();

  /// Runs the fibers that are runnable, then goes on with the calling one.
  void yield();
  [[nodiscard]] uint32_t polling_rounds() const;

  /// Ends the wait of a sleeping host.
  void wake();

  FiberThread* current() const { return current_.load(std::memory_order_relaxed); }

  // For reports, from any OS thread.
  [[nodiscard]] HostState state() const;
  /// Whether fiber `f` was runnable when the host last stopped running fibers.
  [[nodiscard]] bool showed_runnable(uint32_t f) const { return is_set(shown_, f); }
  /// Whether a ring of fiber `f` has come here that the host has not seen.
  [[nodiscard]] bool has_in_inbox(uint32_t f) const { return is_set(inbox_, f); }

 private:
  using Bits = std::vector<std::atomic<uint64_t>>;
  static bool is_set(const Bits& bits, uint32_t f) {
    return (bits[f / 64].load(std::memory_order_relaxed) >> (f % 64) & 1) != 0;
  }

  FiberThread* pick();
  void drain_inbox();
  [[nodiscard]] bool inbox_is_empty() const;
  [[nodiscard]] bool has_runnable() const;
  /// Copies `runnable_` for reports, and tells whether any fiber is.
  bool show_runnable();
  void wait_for_work();
  void sleep();
  [[nodiscard]] bool steal_from_long_kernels();
  [[nodiscard]] bool steal_from(PackedHost& victim);
  [[nodiscard]] bool is_detached() const { return lock_.load(std::memory_order_seq_cst) == 0; }

  PackedTeam& team_;
  uint32_t index_;
  uint32_t cursor_ = 0;             // where pick() goes on: every runnable fiber gets its turn
  std::atomic<bool> begun_{false};  // for reports
  std::atomic<FiberThread*> current_{nullptr};  // atomic for reports only
  std::vector<uint64_t> runnable_;
  std::vector<uint64_t> kernels_seen_;  // per host: its kernel count when last looked at
  alignas(64) std::atomic<uint32_t> lock_{1};
  std::atomic<uint64_t> kernels_{0};  // kernels begun: tells a thief whether one is long
  Bits shown_;                        // runnable_, for reports
  alignas(64) Bits inbox_;
  std::atomic<uint32_t> asleep_{0};
};

/// The host that the calling OS thread is, or null. Not inlined: a fiber may wake up on another
/// OS thread, and a compiler may keep the address of a thread-local variable across the switch.
PackedHost* current_host() noexcept;

}  // namespace pto2::executors
