/// A team: the logical threads of one run, and the executor that runs them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/executors/joint_hosts.hpp"
#include "runtime/executors/logical_thread.hpp"
#include "runtime/executors/packed_host.hpp"
#include "runtime/executors/stepped_thread.hpp"
#include "runtime/executors/team_state.hpp"

namespace pto2::executors {

enum class Executor {
  packed,   ///< fibers over as many OS threads as there are CPUs
  threads,  ///< an OS thread for each logical thread
};

struct TeamOptions {
  Executor executor = Executor::packed;
  uint32_t host_threads = 0;  ///< packed: OS threads; 0: one per usable CPU
  bool may_join = false;      ///< packed, two OS threads: see joint_hosts.hpp
  /// Of two that may join: kernels that take longer are worth another OS thread. It is what it
  /// costs that one thread submits a task and the other runs it: some ten lines that change hands.
  std::chrono::nanoseconds short_kernel{150};
  /// Of two that may join: a kernel that gets long, the first of that kind, has the others wait for
  /// so long.
  std::chrono::nanoseconds longest_nap = std::chrono::microseconds(200);
  std::size_t stack_bytes = std::size_t{1} << 20;  ///< packed: each stack
};

/// CPUs that this process may use.
[[nodiscard]] uint32_t usable_cpus();

class PackedTeam {
 public:
  explicit PackedTeam(const TeamOptions& options);
  ~PackedTeam();
  LogicalThread& add(std::string name, uint32_t group, std::function<void()> body);
  LogicalThread& add_stepped(std::string name, uint32_t group, std::function<AfterStep()> step);
  /// Makes the hosts and gives each fiber its home. Then run().
  void settle();
  void run();
  [[nodiscard]] TeamState state() const;
  [[nodiscard]] HostState host_state(uint32_t host) const { return hosts_[host]->state(); }
  [[nodiscard]] std::vector<KernelState> kernels() const;
  [[nodiscard]] pid_t os_thread_of(const HostedThread& fiber) const;
  [[nodiscard]] bool has(const LogicalThread* thread) const;

 private:
  friend class PackedHost;
  /// From any OS thread: none before settle() has made them.
  [[nodiscard]] std::span<const std::unique_ptr<PackedHost>> hosts() const;
  [[nodiscard]] ThreadState state_of(const HostedThread& fiber) const;
  [[nodiscard]] TeamPlace place_of(const HostedFiber<Machine>& fiber) const {
    return {fiber.number(), groups_[fiber.number()]};
  }
  LogicalThread& add(HostedThread& thread, uint32_t group);

  uint32_t host_threads_;
  std::size_t stack_bytes_;
  uint64_t short_kernel_ns_;
  std::vector<std::unique_ptr<FiberThread>> with_stack_;
  std::vector<std::unique_ptr<SteppedThread>> stepped_;
  std::vector<HostedThread*> fibers_;  // both, by number
  std::vector<uint32_t> groups_;
  uint32_t last_group_ = 0;
  std::vector<std::unique_ptr<PackedHost>> hosts_;
  // The same, as core knows them.
  std::vector<HostedFiber<Machine>*> hosted_;
  std::vector<FiberHost<Machine>*> hosting_;
  std::optional<HostTeam<Machine>> shared_;  // from settle() on
  Machine::atomic<bool> is_settled_{false};
  JointHosts joint_;
};

/// A team on either executor. add() all threads, then run() once.
class Team {
 public:
  explicit Team(const TeamOptions& options);

  /// Adds a logical thread. Threads of one `group` start on the same host: those that talk to
  /// each other most. The reference lives as long as the team; it can be rung before run().
  LogicalThread& add(std::string name, uint32_t group, std::function<void()> body);

  /// The same of a thread that waits between its steps only: `step` does all that can be done, and
  /// returns when the next one comes; the first comes at the begin. Kernels that it runs may wait,
  /// nothing else in it.
  LogicalThread& add_stepped(std::string name, uint32_t group, std::function<AfterStep()> step);

  /// Runs all bodies; returns when the last has returned. Bodies must not throw. Throws
  /// std::system_error, with no body begun, if the system refuses an OS thread.
  void run();

  /// What the hosts and threads are doing, for a report. From any OS thread while run() is under
  /// way.
  [[nodiscard]] TeamState state() const;
  /// The same of one host of the packed executor, below host_threads().
  [[nodiscard]] HostState host_state(uint32_t host) const { return packed_->host_state(host); }

  /// What its OS threads do, for a KernelWatch. From any OS thread once all threads are added: none
  /// does anything before run().
  [[nodiscard]] std::vector<KernelState> kernels() const;
  /// The one that runs a logical thread now; 0: none does. From any OS thread, as kernels().
  [[nodiscard]] pid_t os_thread_of(const LogicalThread& thread) const;

  /// Name of the one of its logical threads that the calling OS thread runs; empty: none.
  [[nodiscard]] std::string running_thread() const;

  /// OS threads that run the team, the caller included.
  [[nodiscard]] uint32_t host_threads() const;

 private:
  TeamOptions options_;
  std::unique_ptr<PackedTeam> packed_;
  std::vector<std::unique_ptr<OsThread>> threads_;
};

}  // namespace pto2::executors
