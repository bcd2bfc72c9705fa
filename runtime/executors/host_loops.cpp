#include "runtime/executors/host_loops.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"

namespace pto2::executors {

HostLoops::HostLoops(std::size_t stack_bytes, std::function<void()> body,
                     void (*enters)(void* context))
    : stack_bytes_(stack_bytes), body_(std::move(body)), enters_(enters) {
  std::fegetenv(&floating_point_);
  add();
}

HostLoop& HostLoops::add() {
  free_.reserve(loops_.size() + 1);
  loops_.push_back(std::make_unique<HostLoop>(stack_bytes_, [this] {
    std::fesetenv(&floating_point_);
    body_();
  }));
  free_.push_back(loops_.back().get());
  return *loops_.back();
}

void HostLoops::run() {
  // The end of the first is that of the team: the others, which are free, only return.
  while (!free_.empty()) {
    next_ = free_.back();
    free_.pop_back();
    while (next_ != nullptr) {
      running_ = std::exchange(next_, nullptr);
      enters_(running_->fiber_.tsan_context());
      running_->fiber_.resume();
    }
  }
  running_ = nullptr;
  PTO2_INVARIANT("HS-I1", std::ranges::all_of(
                              loops_, [](const auto& loop) { return loop->fiber_.finished(); }));
}

HostLoop& HostLoops::free_one() {
  return free_.empty() ? add() : *free_.back();
}

void HostLoops::leave_for(HostLoop& other) {
  PTO2_INVARIANT("HS-I1", !free_.empty() && free_.back() == &other);
  free_.pop_back();
  switch_to(other);
}

void HostLoops::go_back_to(HostLoop& left) {
  free_.push_back(running_);
  switch_to(left);
}

void HostLoops::switch_to(HostLoop& next) {
  HostLoop& left = *running_;
  next_ = &next;
  left.fiber_.suspend();
}

}  // namespace pto2::executors
