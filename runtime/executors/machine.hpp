/// What the machine itself provides: std::atomic, bare data, and a word that the kernel lets an OS
/// thread sleep on. The executors are built on it, and the hardware policy on both.
///
/// It costs nothing: order() and cell are compile-time, so core compiles to the instructions of
/// hand-written std::atomic code.
#pragma once

#include <atomic>

#include "core/policy.hpp"
#include "runtime/executors/annotated_atomic.hpp"

namespace pto2::executors {

/// Plain data.
template <class T>
class PlainCell {
 public:
  constexpr PlainCell() = default;
  constexpr explicit PlainCell(const T& value) : value_(value) {}
  [[nodiscard]] T read() const { return value_; }
  void write(const T& value) { value_ = value; }
  [[nodiscard]] const T* reading() const { return &value_; }
  [[nodiscard]] T* editing() { return &value_; }

 private:
  T value_{};
};

/// One turn of a wait for a critical section that another thread is in: pauses, and yields the
/// CPU from time to time.
void spin_turn(uint32_t turn);

struct Machine {
  template <class T>
  using atomic = MachineAtomic<T>;
  template <class T>
  using cell = PlainCell<T>;
  using sleep_word = MachineSleepWord;

  [[gnu::always_inline]] static constexpr std::memory_order order(const OrderSite& site) {
    return site.order;
  }

  template <class Predicate>
  static void spin(Predicate&& predicate) {
    for (uint32_t turn = 0; !predicate(); ++turn) spin_turn(turn);
  }
};

static_assert(MemoryPolicy<Machine>);

}  // namespace pto2::executors
