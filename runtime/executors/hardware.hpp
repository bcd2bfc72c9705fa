/// The hardware policy: std::atomic, bare data, and the executors of team.hpp.
///
/// It costs nothing: order() and cell are compile-time, so core compiles to the instructions of
/// hand-written std::atomic code.
#pragma once

#include <atomic>
#include <chrono>

#include "core/policy.hpp"
#include "runtime/executors/logical_thread.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/executors/team.hpp"
#include "runtime/executors/ticker.hpp"
#include "runtime/executors/vyukov_queue.hpp"

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

struct Hardware {
  static constexpr const char* name = "hardware";

  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using cell = PlainCell<T>;
  template <class T>
  using bounded_queue = VyukovQueue<T>;
  /// What threads share of a ring: large, and valid when zeroed.
  template <class T>
  using shared_array = MappedArray<T>;
  using team = Team;
  using team_options = TeamOptions;

  [[gnu::always_inline]] static constexpr std::memory_order order(const OrderSite& site) {
    return site.order;
  }

  class doorbell {
   public:
    doorbell() = default;
    explicit doorbell(LogicalThread& thread) : thread_(&thread) {}
    void ring() const { thread_->ring(); }

   private:
    LogicalThread* thread_ = nullptr;
  };

  /// Rings a doorbell now and then while it lives, so that its thread can warn of a long wait
  /// although nothing happens.
  class reminder {
   public:
    explicit reminder(doorbell bell)
        : ticker_(std::chrono::milliseconds(250), [bell] { bell.ring(); }) {}

   private:
    Ticker ticker_;
  };

  template <class Predicate>
  static void await(Predicate&& predicate) {
    while (!predicate()) executors::idle();
  }
  static void idle() { executors::idle(); }

  /// After a round that found nothing: lets others run. Whether the caller's loop is over.
  template <class Predicate>
  static bool yield(Predicate&& is_over) {
    executors::yield();
    return is_over();
  }
  [[nodiscard]] static uint32_t polling_rounds() { return executors::polling_rounds(); }

  template <class Predicate>
  static void spin(Predicate&& predicate) {
    for (uint32_t turn = 0; !predicate(); ++turn) spin_turn(turn);
  }

  /// Runs a kernel: code that may take long and touches no shared protocol state.
  static void run_kernel(void (*kernel)(int64_t*), int64_t* args) {
    executors::detached(kernel, args);
  }

  /// Asks for the cache line of `address`, to be written soon.
  static void prefetch_for_write(const void* address) { __builtin_prefetch(address, 1); }
  static void prefetch(const void* address) { __builtin_prefetch(address, 0); }

  /// Nanoseconds of a steady clock, for events and statistics.
  [[nodiscard]] static uint64_t now_ns() {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count());
  }
};

static_assert(Policy<Hardware>);

}  // namespace pto2::executors
