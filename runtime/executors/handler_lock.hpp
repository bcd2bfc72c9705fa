/// A lock that handlers of signals take, too.
#pragma once

#include <sched.h>

#include <atomic>

namespace pto2 {

/// Held as long as it lives. No mutex, which is not async-signal-safe. A handler that interrupts
/// the holder waits for ever: hold it for little.
class HandlerLock {
 public:
  explicit HandlerLock(std::atomic_flag& taken) : taken_(taken) { take(taken); }
  ~HandlerLock() { give_back(taken_); }
  HandlerLock(const HandlerLock&) = delete;
  HandlerLock& operator=(const HandlerLock&) = delete;

  static void take(std::atomic_flag& taken) {
    while (taken.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  static void give_back(std::atomic_flag& taken) { taken.clear(std::memory_order_release); }

 private:
  std::atomic_flag& taken_;
};

}  // namespace pto2
