#include "runtime/executors/shared_ticker.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/executors/kernel_watch.hpp"
#include "runtime/executors/ticker.hpp"

namespace pto2::executors {

namespace {

struct Ticks {
  std::mutex mutex;
  std::vector<const std::function<void()>*> all;
  std::unique_ptr<Ticker> ticker;  // while there are any
};

Ticks& ticks() {
  static Ticks the_ticks;
  return the_ticks;
}

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
