#include "runtime/executors/shared_ticker.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/executors/fork_locks.hpp"
#include "runtime/executors/kernel_watch.hpp"
#include "runtime/executors/ticker.hpp"

namespace pto2::executors {

namespace {

struct Ticks {
  std::mutex mutex;
  std::vector<const std::function<void()>*> all;
  std::unique_ptr<Ticker> ticker;  // while there are any
};

void begin_anew();

/// Never destroyed: a run may still go on at the end of the process.
Ticks& ticks() {
  static auto* const the_ticks = [] {
    auto* const all = new Ticks;
    keep_from_forks(all->mutex, begin_anew);
    return all;
  }();
  return *the_ticks;
}

/// In the child of a fork, which has neither the thread nor the runs of others.
void begin_anew() {
  ticks().all.clear();
  (void)ticks().ticker.release();
}

[[maybe_unused]] const Ticks& ticks_made_at_start = ticks();

void tick_all() {
  const std::lock_guard lock(ticks().mutex);
  for (const auto* const tick : ticks().all) try_tick(*tick);
}

}  // namespace

SharedTicker::SharedTicker(std::function<void()> tick) : tick_(std::move(tick)) {
  const std::lock_guard lock(ticks().mutex);
  if (ticks().ticker == nullptr) {
    ticks().ticker = std::make_unique<Ticker>(KernelWatch::period, tick_all);
  }
  ticks().all.push_back(&tick_);
}

/// A tick that waits for the lock must have it before its thread can be joined.
SharedTicker::~SharedTicker() {
  std::unique_ptr<Ticker> over;
  const std::lock_guard lock(ticks().mutex);
  std::erase(ticks().all, &tick_);
  if (ticks().all.empty()) over = std::move(ticks().ticker);
}

}  // namespace pto2::executors
