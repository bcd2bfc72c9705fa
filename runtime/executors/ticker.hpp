/// Calls a function at regular intervals from an OS thread of its own, for as long as it lives.
#pragma once

#include <semaphore.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <functional>
#include <new>
#include <thread>
#include <utility>

#include "runtime/output/whose_lack.hpp"

namespace pto2::executors {

/// Calls tick(). What lacks memory is given up: the next call is another try.
template <class Tick>
void try_tick(Tick&& tick) {
  try {
    tick();
  } catch (const std::bad_alloc&) {
  }
}

class Ticker {
 public:
  /// `tick` must be callable from another thread until the destructor has returned.
  Ticker(std::chrono::milliseconds period, std::function<void()> tick) {
    sem_init(&over_, 0, 0);
    thread_ = std::thread([this, period, tick = std::move(tick)] {
      cli::is_own_thread = true;
      while (!is_over_after(period)) try_tick(tick);
    });
  }
  ~Ticker() {
    sem_post(&over_);
    thread_.join();
    sem_destroy(&over_);
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  /// Waits that long, or until it is over.
  [[nodiscard]] bool is_over_after(std::chrono::milliseconds period) {
    const auto end = (std::chrono::steady_clock::now() + period).time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(end);
    const timespec until{.tv_sec = seconds.count(),
                         .tv_nsec = std::chrono::nanoseconds(end - seconds).count()};
    int waited = 0;
    do {
      waited = sem_clockwait(&over_, CLOCK_MONOTONIC, &until);
    } while (waited != 0 && errno == EINTR);
    return waited == 0;
  }

  // No condition variable: a wait for one that ends by time may signal it inside of glibc, without
  // the lock, which helgrind reports.
  sem_t over_;
  std::thread thread_;
};

}  // namespace pto2::executors
