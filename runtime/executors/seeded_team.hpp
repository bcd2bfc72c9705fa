/// The seeded executor: all logical threads of a team as fibers on the calling OS thread, under a
/// schedule that follows from a seed alone (seeded_schedule.hpp). What memory they share is for the
/// team that is made of it (simulated_team.hpp).
///
/// Before every access to an atomic is a point at which the schedule may switch, in some schedules
/// also after a store. A waiting thread stays parked until its doorbell rings, so a store whose
/// ring is missing shows as a deadlock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/executors/chip_fault.hpp"
#include "runtime/executors/fiber.hpp"
#include "runtime/executors/kernel_watch.hpp"
#include "runtime/executors/seeded_schedule.hpp"
#include "runtime/executors/user_code.hpp"

namespace pto2::executors {

/// Thrown by the run of a team. The seed and the options reproduce it.
class SeededFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SeededOptions {
  uint64_t seed = 0;
  Strategy strategy = Strategy::mixed;
  uint64_t expected_points = 10'000;    ///< for Strategy::pct
  uint64_t max_points = 1'000'000'000;  ///< more is taken for a livelock
  /// One store in so many is followed by a point of the schedule, none if 0; drawn from the seed if
  /// it is not given.
  std::optional<uint32_t> stores_per_point = {};
  std::size_t stack_bytes = std::size_t{256} << 10;
  /// A kernel ends only when nobody else can go on: all other threads wait, or are in kernels
  /// themselves. So whatever a run has left undone at the end of a kernel, nobody was about to do.
  bool kernels_last = false;
  uint32_t polling_rounds = 1;  ///< of a scheduler in vain, before it parks
};

/// The options that a seed stands for, in every program: of each three schedules one ends kernels
/// last; the changes of Strategy::pct are spread over runs of any length in some; in every second
/// one schedulers park without polling.
[[nodiscard]] SeededOptions options_of_seed(uint64_t seed, Strategy strategy = Strategy::mixed);

class SeededThread {
 public:
  SeededThread(SeededSchedule& schedule, std::string name, std::size_t stack_bytes,
               std::function<void()> body)
      : schedule_(schedule),
        number_(schedule.add()),
        name_(std::move(name)),
        fiber_(stack_bytes, std::move(body)) {}
  void ring() { schedule_.ring(number_); }
  /// In the order in which they were added, from 0 on.
  [[nodiscard]] uint32_t number() const { return number_; }
  /// A core that others have waited for until nobody could go on.
  [[nodiscard]] bool is_lost() const { return is_lost_; }

 private:
  friend class SeededTeam;
  SeededSchedule& schedule_;
  uint32_t number_;
  std::string name_;
  Fiber fiber_;
  bool is_lost_ = false;
};

/// Makes a team the one that is running on the OS thread, while it lives.
template <class Team>
class Current {
 public:
  Current(Team*& current, Team* team) : current_(current), outer_(std::exchange(current, team)) {}
  ~Current() { current_ = outer_; }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  Team*& current_;
  Team* outer_;
};

/// A team on whichever memory.
class SeededTeam {
 public:
  SeededThread& add(std::string name, uint32_t group, std::function<void()> body);
  /// Before the run: what fails in it.
  void fail_by(const ChipFault& fault) { fault_ = fault; }
  /// Before the run: what is done when nobody can go on, before it is taken for a failure; returns
  /// whether somebody was rung.
  void when_nobody_goes_on(std::function<bool()> help) { help_ = std::move(help); }
  /// Whether it has come to the fault.
  [[nodiscard]] bool fault_reached() const { return fault_reached_; }

  [[nodiscard]] uint32_t host_threads() const { return 1; }
  [[nodiscard]] uint64_t seed() const { return options_.seed; }
  [[nodiscard]] bool kernels_last() const { return options_.kernels_last; }
  [[nodiscard]] uint32_t polling_rounds() const { return options_.polling_rounds; }
  /// Points passed so far: the clock of the simulation.
  [[nodiscard]] uint64_t points() const { return schedule_.points(); }

  // For the policy, on the running thread.
  [[nodiscard]] SeededThread& running() { return *running_; }
  void point() {
    if (schedule_.point()) [[unlikely]]
      switch_away();
  }
  void point_after_store() {
    if (schedule_.point_after_store()) [[unlikely]]
      switch_away();
  }
  void park();
  void give_way();
  /// The running thread runs a kernel, which can be left (user_code.hpp), after a point, which with
  /// kernels_last is after all others. Throws what the kernel does, and LeftBehind.
  void run_kernel(void (*kernel)(int64_t*), int64_t* args);
  /// Inside of one: returns once the thread was rung, with kernels_last after all others again.
  void wait_in_kernel();
  /// Of the kernel that runs (user_code.hpp).
  [[nodiscard]] const Turn& turn() const { return kernels_.turn(); }
  /// The running thread has found something wrong: the run ends here, and says so. Its stack is
  /// left as it is, so the caller should own nothing.
  [[noreturn]] void give_up(std::string why);
  /// The running thread has come to this step of its next task. True: the fault strikes there. A
  /// core that is lost by it does not return; its stack is left as it is.
  bool reach(ChipStep step);
  /// Whether everybody has waited for a core that is lost.
  [[nodiscard]] bool has_lost_core() const { return lost_ != nullptr && lost_->is_lost(); }
  [[nodiscard]] const std::string& name_of(uint32_t thread) const {
    return threads_[thread]->name_;
  }
  /// Of the running thread; empty before there is one.
  [[nodiscard]] std::string running_name() const {
    return running_ == nullptr ? std::string() : running_->name_;
  }
  /// The same if the calling OS thread runs this team; else empty.
  [[nodiscard]] std::string running_thread() const {
    return current() == this ? running_name() : std::string();
  }
  /// The team whose thread is running on this OS thread, or null.
  static SeededTeam* current();

  /// Its OS thread, for a KernelWatch. From any OS thread while the team runs.
  [[nodiscard]] KernelState running_kernel() const {
    const std::string* const name = in_kernel_.load(std::memory_order_relaxed);
    return kernels_.state(name != nullptr, name);
  }

 protected:
  explicit SeededTeam(const SeededOptions& options);
  ~SeededTeam();
  /// Runs all bodies to their end, but for that of a lost core. If every thread that is left is
  /// parked, all are rung once when a core is lost, or those that when_nobody_goes_on() rings. Else
  /// it throws SeededFailure, also after
  /// max_points, or what a thread gave up for; the team's threads are given up then.
  void run_threads();
  [[nodiscard]] std::size_t size() const { return threads_.size(); }

 private:
  class InKernel;

  void enter_kernel();
  /// Lets others run.
  void switch_away() {
    if (in_kernel_.load(std::memory_order_relaxed) != nullptr || is_inside_any()) [[unlikely]]
      return switch_in_user_code();
    running_->fiber_.suspend();
  }
  void switch_in_user_code();
  [[noreturn]] void fail(const std::string& what);
  [[noreturn]] void lose_running();
  [[nodiscard]] bool notices_loss();
  /// Their names, each behind a space.
  [[nodiscard]] std::string not_ended() const;

  SeededOptions options_;
  SeededSchedule schedule_;
  std::vector<std::unique_ptr<SeededThread>> threads_;
  SeededThread* running_ = nullptr;
  std::string gave_up_;  // why the running thread did
  std::function<bool()> help_ = [] { return false; };
  ChipFault fault_;
  uint64_t fault_steps_ = 0;  // of the thread that it is to strike
  bool fault_reached_ = false;
  SeededThread* lost_ = nullptr;
  KernelCount kernels_;
  Machine::atomic<const std::string*> in_kernel_{nullptr};  // name of the running thread, if it is
};

}  // namespace pto2::executors
