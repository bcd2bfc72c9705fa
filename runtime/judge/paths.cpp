#include "runtime/judge/paths.hpp"

#include <algorithm>

namespace pto2::judging {
namespace {

constexpr uint32_t most_hubs = 64;  // bits of a set of them

}  // namespace

void Paths::find(uint32_t task, std::span<const uint32_t> older) {
  for (const uint32_t before : tasks_[task].before) {
    tasks_[task].is_behind |= tasks_[before].is_behind;
  }
  ++round_;
  const std::size_t wanted = want(task, older);
  if (wanted == 0) return;
  search(task, wanted);
  if (work_ <= std::max(due_, least_work_)) return;
  // What is asked for often is the best hub for that; in the middle of the way there is the best
  // one for all that lies behind it, and no dead end beside the way.
  make_hub(hubs_ % 2 == 0 ? oldest_ : found_[found_.size() / 2], task);
}

std::size_t Paths::want(uint32_t task, std::span<const uint32_t> older) {
  std::size_t wanted = 0;
  oldest_ = task;
  for (const uint32_t one : older) {
    if (is_settled(one, task)) {
      tasks_[one].met = round_;
    } else if (!is_hub(one) && tasks_[one].wanted != round_) {
      tasks_[one].wanted = round_;
      oldest_ = std::min(oldest_, one);
      ++wanted;
    }
  }
  return wanted;
}

void Paths::search(uint32_t task, std::size_t wanted) {
  found_.assign(1, task);
  for (std::size_t i = 0; i < found_.size() && wanted != 0; ++i) {
    for (const uint32_t before : tasks_[found_[i]].before) {
      ++work_;
      Task& older = tasks_[before];
      if (before < oldest_ || older.met == round_ || is_settled(before, task)) continue;
      older.met = round_;
      if (older.wanted == round_) --wanted;
      found_.push_back(before);
    }
  }
}

/// As much as it takes has to be spent on searches before the next one is made.
void Paths::make_hub(uint32_t hub, uint32_t newest) {
  due_ = work_ = 0;
  if (hubs_ == most_hubs) forget_hubs();
  const uint64_t bit = uint64_t{1} << hubs_++;
  tasks_[hub].is_behind |= bit;
  for (uint32_t task = hub + 1; task <= newest; ++task) {
    for (const uint32_t before : tasks_[task].before) {
      tasks_[task].is_behind |= tasks_[before].is_behind & bit;
      ++due_;
    }
  }
  tasks_[hub].leads_to |= bit;
  found_.assign(1, hub);
  for (std::size_t i = 0; i < found_.size(); ++i) {
    for (const uint32_t before : tasks_[found_[i]].before) {
      ++due_;
      if (is_settled(before, hub)) continue;
      tasks_[before].leads_to |= bit;
      found_.push_back(before);
    }
  }
}

void Paths::forget_hubs() {
  for (Task& task : tasks_) task.leads_to = task.is_behind = 0;
  hubs_ = 0;
  due_ += tasks_.size();
}

}  // namespace pto2::judging
