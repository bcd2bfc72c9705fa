/// The hardware policy: the machine (machine.hpp) and the executors of team.hpp.
#pragma once

#include <chrono>
#include <vector>

#include "runtime/executors/execution_policy.hpp"
#include "runtime/executors/kernel_call.hpp"
#include "runtime/executors/logical_thread.hpp"
#include "runtime/executors/machine.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/executors/sound_chip.hpp"
#include "runtime/executors/team.hpp"
#include "runtime/executors/ticker.hpp"
#include "runtime/executors/vyukov_queue.hpp"

namespace pto2::executors {

struct Hardware : Machine, SoundChip {
  static constexpr const char* name = "hardware";

  template <class T>
  using bounded_queue = VyukovQueue<T>;
  /// What threads share of a ring: large, and valid when zeroed.
  template <class T>
  using shared_array = MappedArray<T>;
  using team = Team;
  using team_options = TeamOptions;
  [[nodiscard]] static std::string running_thread() { return executors::running_thread(); }

  class reminder;
  class kernel_waiter;
  class doorbell {
   public:
    doorbell() = default;
    explicit doorbell(LogicalThread& thread) : thread_(&thread) {}
    void ring() const { thread_->ring(); }

   private:
    friend class reminder;
    friend class kernel_waiter;
    LogicalThread* thread_ = nullptr;
  };

  class kernel_waiter : public KernelWaiter {
   public:
    explicit kernel_waiter(doorbell bell) : KernelWaiter(bell.thread_) {}
  };

  /// Rings the orchestrator's doorbell now and then while it lives, so that it can warn of a long
  /// wait although nothing happens, and looks for user's code that does not return.
  class reminder {
   public:
    reminder(doorbell bell, Team& threads, const StuckKernels& stuck)
        : watch_(stuck),
          ticker_(KernelWatch::period, [this, bell, &threads, code = stuck.orchestration] {
            bell.ring();
            std::vector<KernelState> states = threads.kernels();
            if (code != nullptr) {
              states.push_back(state_of(*code, threads.os_thread_of(*bell.thread_)));
            }
            watch_.look(states);
          }) {}

   private:
    KernelWatch watch_;
    Ticker ticker_;
  };

  template <class Predicate>
  static void await(Predicate&& predicate) {
    while (!predicate()) executors::idle();
  }
  static void idle() { executors::idle(); }

  template <class Predicate>
  static bool yield(Predicate&& is_over, bool /*in_vain*/ = true) {
    executors::yield();
    return is_over();
  }
  static bool give_way() { return executors::give_way(); }
  [[nodiscard]] static uint32_t polling_rounds() { return executors::polling_rounds(); }
  [[nodiscard]] static uint32_t parallelism() { return executors::parallelism(); }

  [[gnu::always_inline]] static void run_kernel(void (*kernel)(int64_t*), int64_t* args) {
    executors::run_kernel(kernel, args);
  }
  template <class Section>
  static void run_kernels(Section&& section) {
    auto body = [&] { section(&executors::run_next_kernel); };
    executors::detached([](int64_t* self) { (*reinterpret_cast<decltype(body)*>(self))(); },
                        reinterpret_cast<int64_t*>(&body));
  }

  /// GCC takes a function that only fetches lines for one without effect, and drops calls of it: so
  /// this one is always inlined, and so are those that do nothing else.
  [[gnu::always_inline]] static void prefetch_for_write(const void* address) {
    __builtin_prefetch(address, 1);
  }

  /// Nanoseconds of a steady clock.
  static constexpr uint64_t ticks_per_second = 1'000'000'000;
  [[nodiscard]] static uint64_t now() {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count());
  }
};

static_assert(LaunchPolicy<Hardware>);

}  // namespace pto2::executors
