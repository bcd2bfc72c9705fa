/// The policy of the unit tests, with another thread that comes between: before any operation on an
/// atomic but stores it may do one thing.
#pragma once

#include <functional>
#include <utility>

#include "tests/core/policy.hpp"

namespace pto2 {

struct SpoiltPolicy : TestPolicy {
  /// What happens before the next operation; cleared first, so it may use the same atomics.
  static inline std::function<void()> meanwhile;
  /// Thrown by a spin that would wait.
  struct Waits {};

  static void happen() {
    if (meanwhile) std::exchange(meanwhile, nullptr)();
  }

  template <class T>
  class atomic : public std::atomic<T> {
   public:
    using std::atomic<T>::atomic;
    T load(std::memory_order order) const {
      happen();
      return std::atomic<T>::load(order);
    }
    T exchange(T value, std::memory_order order) {
      happen();
      return std::atomic<T>::exchange(value, order);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure) {
      happen();
      return std::atomic<T>::compare_exchange_strong(expected, desired, success, failure);
    }
  };

  template <class Predicate>
  static void spin(Predicate&& predicate) {
    if (!predicate()) throw Waits();
  }
};

}  // namespace pto2
