#include "runtime/executors/seeded_schedule.hpp"

#include <algorithm>

namespace pto2::executors {

namespace {

constexpr uint64_t high_priority = uint64_t{1} << 32;
/// So often another thread goes first where it is the turn of a slow one.
constexpr uint64_t slowness = 32;

}  // namespace

SeededSchedule::SeededSchedule(const ScheduleOptions& options)
    : random_(options.seed),
      kernels_last_(options.kernels_last),
      next_low_priority_(high_priority - 1) {
  constexpr uint32_t stores_per_point[] = {0, 1, 3, 16};
  draw(options);
  stores_per_point_ = stores_per_point[random_.below(std::size(stores_per_point))];
  if (options.stores_per_point) stores_per_point_ = *options.stores_per_point;
  stores_left_ = stores_per_point_;
  start_slice();
}

/// Choice and lengths of the slices between two choices.
void SeededSchedule::draw(const ScheduleOptions& options) {
  constexpr uint64_t mean_slices[] = {1, 2, 4, 8, 16, 64, 256};
  constexpr uint64_t most_changes = 8;
  switch (options.strategy) {
    case Strategy::mixed:
      choice_ = random_.below(3) == 0 ? Choice::uniform : Choice::priorities;
      mean_slice_ = mean_slices[random_.below(std::size(mean_slices))];
      break;
    case Strategy::random:
      break;
    case Strategy::pct:
      choice_ = Choice::priorities;
      changes_to_lowest_ = true;
      mean_slice_ = 1 + options.expected_points / (1 + random_.below(most_changes));
      break;
    case Strategy::bursts:
      mean_slice_ = uint64_t{1} << random_.below(9);
      break;
  }
}

uint32_t SeededSchedule::add() {
  const auto number = static_cast<uint32_t>(threads_.size());
  threads_.push_back({.priority = high_priority + random_.below(high_priority)});
  runnable_.push_back(number);
  ++unfinished_;
  return number;
}

std::optional<uint32_t> SeededSchedule::next() {
  if (runnable_.empty()) resume_a_kernel();
  if (runnable_.empty()) return std::nullopt;
  running_ = choose();
  if (threads_[running_].slow) single_step();
  return running_;
}

/// Others may spin for what a slow thread has, so its turn comes in the end.
uint32_t SeededSchedule::choose() {
  const uint32_t chosen = choose_of(runnable_);
  if (!threads_[chosen].slow || runnable_.size() == 1 || random_.below(slowness) == 0) {
    return chosen;
  }
  std::vector<uint32_t> others = runnable_;
  std::erase_if(others, [this](uint32_t t) { return threads_[t].slow; });
  return others.empty() ? chosen : choose_of(others);
}

uint32_t SeededSchedule::choose_of(const std::vector<uint32_t>& threads) {
  if (choice_ == Choice::uniform) return threads[random_.below(threads.size())];
  return *std::ranges::max_element(threads, {},
                                   [this](uint32_t t) { return threads_[t].priority; });
}

/// Cuts the slice short; the points that it has had count.
void SeededSchedule::single_step() {
  points_before_ += slice_ - slice_left_;
  slice_ = 1;
  slice_left_ = 1;
}

void SeededSchedule::start_slice() {
  points_before_ += slice_;
  slice_ = 1 + random_.below(2 * mean_slice_);
  slice_left_ = slice_;
}

bool SeededSchedule::end_of_slice() {
  start_slice();
  if (running_ == nobody) return false;
  // A change point: the running thread falls behind all others, or anywhere among them.
  const bool to_lowest = changes_to_lowest_ || random_.below(2) == 0;
  threads_[running_].priority =
      to_lowest ? next_low_priority_-- : high_priority + random_.below(high_priority);
  return true;
}

bool SeededSchedule::park() {
  Thread& self = threads_[running_];
  if (self.rung) return false;
  self.parked = true;
  std::erase(runnable_, running_);
  return true;
}

void SeededSchedule::ring(uint32_t thread) {
  Thread& rung = threads_[thread];
  rung.rung = true;
  if (!rung.parked) return;
  rung.parked = false;
  runnable_.push_back(thread);
}

bool SeededSchedule::enter_kernel() {
  if (!kernels_last_) return false;
  std::erase(runnable_, running_);
  in_kernels_.push_back(running_);
  return true;
}

void SeededSchedule::resume_a_kernel() {
  if (in_kernels_.empty()) return;
  const std::size_t next = random_.below(in_kernels_.size());
  runnable_.push_back(in_kernels_[next]);
  in_kernels_.erase(in_kernels_.begin() + static_cast<std::ptrdiff_t>(next));
}

void SeededSchedule::end() {
  --unfinished_;
  std::erase(runnable_, running_);
}

}  // namespace pto2::executors
