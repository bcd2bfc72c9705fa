/// Which tasks come behind which, by paths of edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pto2::judging {

/// A path is looked for backwards, edge by edge. So that this does not lead through all of a long
/// run for each of its tasks, some tasks on the way become hubs: of each task is known which hubs
/// it leads to and which it comes behind. One that leads to a hub that another comes behind is
/// settled for that, and so is all that it comes behind itself: the search ends there. From a hub
/// that a task does not come behind no path leads to it.
class Paths {
 public:
  /// A hub is made when searches went this many edges since the last one.
  static constexpr uint64_t least_work = 1 << 13;

  explicit Paths(std::size_t tasks, uint64_t work = least_work)
      : tasks_(tasks), least_work_(work) {}

  /// An edge from an older task.
  void add(uint32_t before, uint32_t task) { tasks_[task].before.push_back(before); }

  /// Looks from which of these older tasks a path leads to the task. To be called for all tasks in
  /// their order, each when it has its edges.
  void find(uint32_t task, std::span<const uint32_t> older);
  /// One that find() was last asked for: a path leads from it.
  [[nodiscard]] bool has_found(uint32_t older) const { return tasks_[older].met == round_; }

 private:
  struct Task {
    std::vector<uint32_t> before;  // that it directly comes behind
    uint64_t leads_to = 0;         // hubs, as bits; a hub leads to itself
    uint64_t is_behind = 0;        // hubs, as bits; a hub is behind itself
    uint32_t met = 0;              // the round in which it was found
    uint32_t wanted = 0;           // the round in which it was looked for
  };

  [[nodiscard]] bool is_settled(uint32_t older, uint32_t task) const {
    return (tasks_[older].leads_to & tasks_[task].is_behind) != 0;
  }
  [[nodiscard]] bool is_hub(uint32_t task) const { return is_settled(task, task); }
  /// Those of which it is not known are wanted in this round. Returns how many.
  std::size_t want(uint32_t task, std::span<const uint32_t> older);
  void search(uint32_t task, std::size_t wanted);
  void make_hub(uint32_t hub, uint32_t newest);
  void forget_hubs();

  std::vector<Task> tasks_;
  uint64_t least_work_;
  uint32_t round_ = 0;
  uint32_t oldest_ = 0;          // that is wanted
  std::vector<uint32_t> found_;  // by the search, as it met them; the first is where it began
  uint32_t hubs_ = 0;
  uint64_t work_ = 0;  // edges that searches went since the last hub was made
  uint64_t due_ = 0;   // how many make the next one worth its while
};

}  // namespace pto2::judging
