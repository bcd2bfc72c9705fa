#include "runtime/executors/seeded_team.hpp"

#include <algorithm>
#include <utility>

namespace pto2::executors {

namespace {

thread_local SeededTeam* this_team = nullptr;

constexpr uint64_t high_priority = uint64_t{1} << 32;

/// Makes a team that of the OS thread while it runs, however it ends.
class Current {
 public:
  explicit Current(SeededTeam* team) : outer_(std::exchange(this_team, team)) {}
  ~Current() { this_team = outer_; }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  SeededTeam* outer_;
};

}  // namespace

SeededTeam* SeededTeam::current() {
  return this_team;
}

SeededTeam::SeededTeam(const SeededOptions& options) : options_(options), random_(options.seed) {
  constexpr uint64_t mean_slices[] = {1, 2, 4, 8, 16, 64, 256};
  constexpr uint32_t stores_per_point[] = {0, 1, 3, 16};
  choice_ = random_.below(3) == 0 ? Choice::uniform : Choice::priorities;
  mean_slice_ = mean_slices[random_.below(std::size(mean_slices))];
  stores_per_point_ = stores_per_point[random_.below(std::size(stores_per_point))];
  if (options.stores_per_point) stores_per_point_ = *options.stores_per_point;
  stores_left_ = stores_per_point_;
  start_slice();
}

SeededTeam::~SeededTeam() = default;

SeededThread& SeededTeam::add(std::string name, uint32_t, std::function<void()> body) {
  threads_.push_back(std::make_unique<SeededThread>(*this, static_cast<uint32_t>(threads_.size()),
                                                    std::move(name), options_.stack_bytes,
                                                    std::move(body)));
  threads_.back()->priority_ = high_priority + random_.below(high_priority);
  return *threads_.back();
}

void SeededTeam::run() {
  const Current current(this);
  for (auto& thread : threads_) runnable_.push_back(thread.get());
  next_low_priority_ = high_priority - 1;
  std::size_t unfinished = threads_.size();
  while (unfinished != 0) {
    if (runnable_.empty()) resume_a_kernel();
    if (runnable_.empty()) fail("every thread that is left waits and none will be rung");
    if (points() > options_.max_points) fail("no end after the limit of points: a livelock");
    running_ = &choose();
    running_->fiber_.resume();
    if (running_->fiber_.finished()) {
      --unfinished;
      std::erase(runnable_, running_);
    }
  }
}

SeededThread& SeededTeam::choose() {
  if (choice_ == Choice::uniform) return *runnable_[random_.below(runnable_.size())];
  return **std::max_element(
      runnable_.begin(), runnable_.end(),
      [](const SeededThread* a, const SeededThread* b) { return a->priority_ < b->priority_; });
}

void SeededTeam::start_slice() {
  points_before_ += slice_;
  slice_ = 1 + random_.below(2 * mean_slice_);
  slice_left_ = slice_;
}

void SeededTeam::end_of_slice() {
  start_slice();
  if (running_ == nullptr) return;
  // A change point: the running thread falls behind all others, or anywhere among them.
  running_->priority_ =
      random_.below(2) == 0 ? next_low_priority_-- : high_priority + random_.below(high_priority);
  running_->fiber_.suspend();
}

void SeededTeam::give_way() {
  running_->priority_ = next_low_priority_--;
  running_->fiber_.suspend();
}

void SeededTeam::enter_kernel() {
  if (options_.kernels_last) {
    std::erase(runnable_, running_);
    in_kernels_.push_back(running_);
    running_->fiber_.suspend();
  }
  // Even after all others this is a point, so that what they did is earlier than what follows.
  point();
}

void SeededTeam::resume_a_kernel() {
  if (in_kernels_.empty()) return;
  const std::size_t next = random_.below(in_kernels_.size());
  runnable_.push_back(in_kernels_[next]);
  in_kernels_.erase(in_kernels_.begin() + static_cast<std::ptrdiff_t>(next));
}

void SeededTeam::park() {
  SeededThread& self = *running_;
  if (!self.rung_) {
    self.parked_ = true;
    std::erase(runnable_, &self);
    self.fiber_.suspend();
  }
  self.rung_ = false;
}

void SeededTeam::make_runnable(SeededThread& thread) {
  thread.parked_ = false;
  runnable_.push_back(&thread);
}

void SeededThread::ring() {
  rung_ = true;
  if (parked_) team_.make_runnable(*this);
}

void SeededTeam::fail(const std::string& what) {
  running_ = nullptr;
  std::string text = "seed " + std::to_string(options_.seed) + ", point " +
                     std::to_string(points()) + ": " + what + "; waiting:";
  for (const auto& thread : threads_) {
    if (!thread->fiber_.finished()) text += " " + thread->name_;
  }
  throw SeededFailure(text);
}

}  // namespace pto2::executors
