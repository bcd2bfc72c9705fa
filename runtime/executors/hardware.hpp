/// The hardware policy: the machine (machine.hpp) and the executors of team.hpp.
#pragma once

#include <chrono>

#include "core/policy.hpp"
#include "runtime/executors/logical_thread.hpp"
#include "runtime/executors/machine.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/executors/team.hpp"
#include "runtime/executors/ticker.hpp"
#include "runtime/executors/vyukov_queue.hpp"

namespace pto2::executors {

struct Hardware : Machine {
  static constexpr const char* name = "hardware";

  template <class T>
  using bounded_queue = VyukovQueue<T>;
  /// What threads share of a ring: large, and valid when zeroed.
  template <class T>
  using shared_array = MappedArray<T>;
  using team = Team;
  using team_options = TeamOptions;

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
