/// A host of the packed executor: one OS thread that runs fibers, and threads in steps, which are
/// fibers to core. How fibers are rung, run, and handed over between hosts is core/fiber_host.hpp;
/// here is when a host looks around for work instead of sleeping, and what a report says of it.
///
/// A thief waits until it has seen the same kernel run for a while, so that the fibers of short
/// kernels stay together. Two hosts may begin as one, and part when kernels are long
/// (joint_hosts.hpp).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/fiber_host.hpp"
#include "runtime/executors/host_loops.hpp"
#include "runtime/executors/kernel_pace.hpp"
#include "runtime/executors/logical_thread.hpp"
#include "runtime/executors/sanitizer_switch.hpp"

namespace pto2::executors {

class PackedTeam;
class SteppedThread;

/// The words of a host of a team of `fibers`.
struct HostBits {
  explicit HostBits(uint32_t fibers) : runnable((fibers + 63) / 64), inbox(runnable.size()) {}
  [[nodiscard]] HostWords<Machine> words() { return {runnable, inbox}; }

  std::vector<Machine::atomic<uint64_t>> runnable;
  std::vector<Machine::atomic<uint64_t>> inbox;
};

class PackedHost : public FiberHost<Machine> {
 public:
  /// `is_first`: of its team.
  PackedHost(PackedTeam& team, bool is_first, std::unique_ptr<HostBits> bits);

  /// Runs fibers until every fiber of the team has finished.
  void run();

  /// The fiber that runs, which has a stack of its own, waits.
  void suspend() { current_fiber().suspend(); }

  /// Around a kernel: gives the other hosts access to this one's fibers.
  void detach() {
    const TsanHostScope as_host;
    kernels_.count();
    FiberHost::detach();
    pace_.begin();
  }
  void attach() {
    const TsanHostScope as_host;
    const bool are_long = pace_.end();
    FiberHost::attach();
    if (are_long) [[unlikely]]
      part();
  }
  /// Inside a kernel: lets the other fibers run until the kernel's own was rung.
  void wait_in_kernel();

  /// Runs the fibers that are runnable, then goes on with the calling one.
  /// False: no other fiber of this host can run.
  bool yield();
  /// The same for a fiber that has enough done, and goes on behind some rounds of the others.
  bool give_way();
  [[nodiscard]] uint32_t polling_rounds() const;

  /// The fiber that runs, or null.
  [[nodiscard]] HostedThread* current() const {
    return static_cast<HostedThread*>(FiberHost::current());
  }

  void count_kernel() { kernels_.count_next(); }
  [[nodiscard]] const Turn& turn() const { return kernels_.turn(); }

  /// For reports, from any OS thread.
  [[nodiscard]] HostState state() const;
  [[nodiscard]] KernelState kernel() const {
    const HostedThread* const fiber = current();
    return kernels_.state(seems_detached(), fiber == nullptr ? nullptr : &fiber->name());
  }

 private:
  [[nodiscard]] FiberThread& current_fiber() const { return static_cast<FiberThread&>(*current()); }
  [[nodiscard]] bool runs_here(const HostedThread& thread);
  [[nodiscard]] bool resume(HostedThread& thread);
  [[nodiscard]] bool step(SteppedThread& thread);
  [[nodiscard]] bool has_others();
  [[nodiscard]] bool is_to_move_out() const;
  bool yield_for(uint32_t rounds);
  [[nodiscard]] bool are_apart() const;
  [[nodiscard]] PackedHost& other_of_two() const;
  void join_if_short();
  void part();
  void forget_kernels();
  [[nodiscard]] bool keeps_any() const;
  void nap();
  [[nodiscard]] bool look_around();
  [[nodiscard]] bool steal_from_long_kernels();

  PackedTeam& team_;
  const bool is_first_;
  std::unique_ptr<HostBits> bits_;
  std::vector<uint64_t> sections_seen_;  // per host: their number when last looked at
  Machine::atomic<bool> begun_{false};   // for reports
  KernelCount kernels_;
  KernelPace<std::chrono::steady_clock> pace_;
  HostLoops loops_;
};

/// The host that the calling OS thread is, or null.
[[nodiscard, gnu::always_inline]] inline PackedHost* current_host() {
  return static_cast<PackedHost*>(host_of_thread());
}

}  // namespace pto2::executors
