/// The seeded executor: all logical threads of a team as fibers on the calling OS thread, under a
/// schedule that follows from a seed alone. Sequentially consistent.
///
/// Before every access to an atomic is a point at which the schedule may switch, in some schedules
/// also after a store. A waiting thread stays parked until its doorbell rings, so a store whose
/// ring is missing shows as a deadlock. The schedule mixes, by seed, bursts of different lengths,
/// uniform choice, and random priorities with change points (Burckhardt et al., A randomized
/// scheduler with probabilistic guarantees of finding bugs, ASPLOS 2010): uniform choice alone
/// never builds up a queue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/executors/fiber.hpp"
#include "runtime/executors/random.hpp"

namespace pto2::executors {

/// Thrown by SeededTeam::run(). The seed and the options reproduce it.
class SeededFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SeededOptions {
  uint64_t seed = 0;
  uint64_t max_points = 1'000'000'000;  ///< more is taken for a livelock
  /// One store in so many is followed by a point of the schedule, none if 0; drawn from the seed if
  /// it is not given.
  std::optional<uint32_t> stores_per_point = {};
  std::size_t stack_bytes = std::size_t{256} << 10;
  /// A kernel ends only when nobody else can go on: all other threads wait, or are in kernels
  /// themselves. So whatever a run has left undone at the end of a kernel, nobody was about to do.
  bool kernels_last = false;
};

class SeededTeam;

class SeededThread {
 public:
  SeededThread(SeededTeam& team, uint32_t number, std::string name, std::size_t stack_bytes,
               std::function<void()> body)
      : team_(team),
        number_(number),
        name_(std::move(name)),
        fiber_(stack_bytes, std::move(body)) {}
  void ring();

 private:
  friend class SeededTeam;
  SeededTeam& team_;
  uint32_t number_;
  std::string name_;
  uint64_t priority_ = 0;
  bool rung_ = true;
  bool parked_ = false;
  Fiber fiber_;
};

class SeededTeam {
 public:
  explicit SeededTeam(const SeededOptions& options);
  ~SeededTeam();

  SeededThread& add(std::string name, uint32_t group, std::function<void()> body);

  /// Runs all bodies to their end. Throws SeededFailure if every thread that is left is parked,
  /// or after max_points; the team's threads are given up then.
  void run();

  [[nodiscard]] uint32_t host_threads() const { return 1; }
  [[nodiscard]] uint64_t seed() const { return options_.seed; }
  [[nodiscard]] bool kernels_last() const { return options_.kernels_last; }
  /// Points passed so far: the clock of the simulation.
  [[nodiscard]] uint64_t points() const { return points_before_ + (slice_ - slice_left_); }

  // For the policy, on the running thread.
  void point() {
    if (--slice_left_ == 0) [[unlikely]]
      end_of_slice();
  }
  void point_after_store() {
    if (stores_per_point_ == 0 || --stores_left_ != 0) return;
    stores_left_ = stores_per_point_;
    point();
  }
  [[nodiscard]] SeededThread& running() const { return *running_; }
  void park();
  void give_way();
  /// The running thread is about to run a kernel: a point, with kernels_last after all others.
  void enter_kernel();
  /// The team whose thread is running on this OS thread, or null.
  static SeededTeam* current();

 private:
  friend class SeededThread;
  enum class Choice { uniform, priorities };

  void end_of_slice();
  void start_slice();
  void make_runnable(SeededThread& thread);
  void resume_a_kernel();
  SeededThread& choose();
  [[noreturn]] void fail(const std::string& what);

  SeededOptions options_;
  Random random_;
  Choice choice_;
  uint64_t mean_slice_;
  uint32_t stores_per_point_;
  uint32_t stores_left_;
  uint64_t next_low_priority_ = 0;
  std::vector<std::unique_ptr<SeededThread>> threads_;
  std::vector<SeededThread*> runnable_;
  std::vector<SeededThread*> in_kernels_;  // with kernels_last: until nobody is runnable
  SeededThread* running_ = nullptr;
  uint64_t slice_ = 0;
  uint64_t slice_left_ = 0;
  uint64_t points_before_ = 0;
};

}  // namespace pto2::executors
