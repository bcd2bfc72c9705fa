/// Where a process leaves something for another, and what it forks does not.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace pto2::cli {

/// A place in memory that is shared with the process that waits for this one. Code of the user's
/// may fork: such a child has the memory, too, but what becomes of it is nobody's result.
template <class T>
class OwnPlace {
 public:
  /// From now on it is the calling process's; null: there is none any more.
  void set(T* place) {
    owner_.store(getpid(), std::memory_order_relaxed);
    place_.store(place, std::memory_order_release);
  }
  /// Null: there is none, or it is another process's. Async-signal-safe.
  [[nodiscard]] T* get() const {
    T* const place = place_.load(std::memory_order_acquire);
    return owner_.load(std::memory_order_relaxed) == getpid() ? place : nullptr;
  }

 private:
  std::atomic<T*> place_{nullptr};
  std::atomic<pid_t> owner_{0};
};

}  // namespace pto2::cli
