/// A schedule that follows from a seed alone: which of some threads runs next, and how far.
///
/// It knows threads by number, not what they are: whoever runs them (seeded_team.hpp) tells it what
/// the running one does, and switches when it says so. It mixes, by seed, bursts of different
/// lengths, uniform choice, and random priorities with change points (Burckhardt et al., A
/// randomized scheduler with probabilistic guarantees of finding bugs, ASPLOS 2010): uniform choice
/// alone never builds up a queue.
///
/// A thread is runnable, parked until it is rung, in a kernel that ends last, or has ended. A ring
/// is remembered until the thread next parks; so is the start, which counts as one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/executors/random.hpp"

namespace pto2::executors {

enum class Strategy {
  mixed,   ///< one of the others, or what is between them, drawn from the seed
  random,  ///< any thread after one point or two
  pct,     ///< random priorities, with few points at which the running thread gets the lowest
  bursts,  ///< any thread for a while, up to 512 points
};

struct ScheduleOptions {
  uint64_t seed = 0;
  Strategy strategy = Strategy::mixed;
  /// About how many points a run has; for Strategy::pct, which spreads its changes over them.
  uint64_t expected_points = 10'000;
  /// One store in so many is followed by a point, none if 0; drawn from the seed if not given.
  std::optional<uint32_t> stores_per_point = {};
  /// A kernel ends only when nobody else can go on: all other threads wait, or are in kernels
  /// themselves.
  bool kernels_last = false;
};

class SeededSchedule {
 public:
  explicit SeededSchedule(const ScheduleOptions& options);

  /// Adds a thread, runnable; the number of the thread, from 0 on.
  uint32_t add();

  /// The thread that runs from now on, or none: every thread that is left waits.
  [[nodiscard]] std::optional<uint32_t> next();
  /// Whether all threads have ended.
  [[nodiscard]] bool is_over() const { return unfinished_ == 0; }
  /// Points passed so far: the clock of the simulation.
  [[nodiscard]] uint64_t points() const { return points_before_ + (slice_ - slice_left_); }

  // What the running thread does. True: it is to be switched, and goes on after a later next().

  /// An access to shared data.
  [[nodiscard]] bool point() { return --slice_left_ == 0 && end_of_slice(); }
  /// The same after a store, if the schedule has a point there.
  [[nodiscard]] bool point_after_store() {
    if (stores_per_point_ == 0 || --stores_left_ != 0) return false;
    stores_left_ = stores_per_point_;
    return point();
  }
  /// Waits for a ring. Once it is here again it tells that it has heard one.
  [[nodiscard]] bool park();
  void heard() { threads_[running_].rung = false; }
  /// Lets all others go first. It is always switched.
  void give_way() { threads_[running_].priority = next_low_priority_--; }
  /// Is about to run a kernel; it is a point afterwards.
  [[nodiscard]] bool enter_kernel();
  /// Takes long for each step from now on: of those that can go on, it is chosen seldom, and for a
  /// single step.
  void slow_down() { threads_[running_].slow = true; }
  /// Has ended.
  void end();

  /// Rings `thread`; by the running one, or before any runs.
  void ring(uint32_t thread);
  /// Nobody runs any more: points go on being counted, and switch nothing.
  void give_up() { running_ = nobody; }

 private:
  enum class Choice { uniform, priorities };
  struct Thread {
    uint64_t priority;
    bool rung = true;
    bool parked = false;
    bool slow = false;
  };
  static constexpr uint32_t nobody = UINT32_MAX;

  void draw(const ScheduleOptions& options);
  void start_slice();
  [[nodiscard]] bool end_of_slice();
  void resume_a_kernel();
  [[nodiscard]] uint32_t choose();
  [[nodiscard]] uint32_t choose_of(const std::vector<uint32_t>& threads);
  void single_step();

  Random random_;
  Choice choice_ = Choice::uniform;
  bool changes_to_lowest_ = false;
  bool kernels_last_;
  uint64_t mean_slice_ = 1;
  uint32_t stores_per_point_;
  uint32_t stores_left_;
  uint64_t next_low_priority_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> runnable_;
  std::vector<uint32_t> in_kernels_;  // with kernels_last: until nobody is runnable
  std::size_t unfinished_ = 0;
  uint32_t running_ = nobody;
  uint64_t slice_ = 0;
  uint64_t slice_left_ = 0;
  uint64_t points_before_ = 0;
};

}  // namespace pto2::executors
