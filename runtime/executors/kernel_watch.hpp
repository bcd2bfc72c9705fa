/// Finds the kernels that do not return, and the orchestration that does not call the runtime.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/executors/machine.hpp"
#include "runtime/executors/user_code.hpp"

namespace pto2::executors {

/// What an OS thread is doing, as another one sees it.
struct KernelState {
  pid_t thread = 0;    ///< of the system, for signals; 0: it has not begun
  uint64_t begun = 0;  ///< kernels so far, each part of a block task being one
  bool inside = false;
  bool is_orchestration = false;      ///< and its turns, each between two calls of the runtime
  const std::string* name = nullptr;  ///< of the logical thread that is inside, or of a function
                                      ///< that is not the orchestration itself, if it is known
};

/// The kernels of one OS thread: counted by that thread, read by any.
class KernelCount {
 public:
  /// On the thread, before its first kernel.
  void begin() { thread_.store(gettid(), std::memory_order_relaxed); }
  void count() { add_one(begun_); }
  /// Of several inside of one section, which has counted as one itself: the next.
  void count_next() {
    add_one(further_);
    count();
  }
  /// Sections so far, for whoever looks whether one is long: may be wrong by one, but not for long.
  [[nodiscard]] uint64_t sections() const {
    return begun_.load(std::memory_order_relaxed) - further_.load(std::memory_order_relaxed);
  }
  /// Another kernel is another turn.
  [[nodiscard]] const Turn& turn() const { return begun_; }
  /// `name`: of the logical thread that the OS thread runs; null: none.
  [[nodiscard]] KernelState state(bool inside, const std::string* name) const {
    return {.thread = thread_.load(std::memory_order_relaxed),
            .begun = begun_.load(std::memory_order_relaxed),
            .inside = inside,
            .name = name};
  }

 private:
  static void add_one(Turn& count) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  Machine::atomic<pid_t> thread_{0};
  alignas(64) Turn begun_{0};
  Turn further_{0};
};

/// What is done about user's code that does not return.
struct StuckKernels {
  /// Called with a thread that is stuck, and whether for the last time.
  using Found = std::function<void(const KernelState& thread, bool is_last)>;
  using Mute = std::function<void(const KernelState& thread)>;

  uint64_t deadline_ms = 0;                    ///< 0: nothing
  const CallingCode* orchestration = nullptr;  ///< which is looked after in the same way
  Found found;                                 ///< an OS thread has been inside one for so long
  Mute mute;                                   ///< and still is, some time later
  /// Called with all at each look, deadline or not.
  std::function<void(std::span<const KernelState> threads)> looked = {};
};

/// An orchestration; `thread`: the OS thread that it is on now, 0: on none.
[[nodiscard]] KernelState state_of(const CallingCode& code, pid_t thread);

/// Counts the looks at which an OS thread was inside the same kernel, or turn of the orchestration.
/// Looks and not time, so that nothing is held against a kernel while the whole process was
/// stopped.
class KernelWatch {
 public:
  using Stuck = StuckKernels::Found;

  /// `stuck` is called for a thread that has been inside the same kernel for `looks` looks, and at
  /// each look that it still is, `patience` times in all; `mute` if that was in vain, too, from the
  /// `patience`th look later on. 0 looks: never.
  KernelWatch(uint64_t looks, Stuck stuck, StuckKernels::Mute mute)
      : looks_(looks), stuck_(std::move(stuck)), mute_(std::move(mute)) {}
  /// The same for a look in each period.
  explicit KernelWatch(const StuckKernels& what);

  /// At each look: all threads, always in the same order.
  void look(std::span<const KernelState> threads);

  static constexpr uint64_t patience = 8;
  static constexpr std::chrono::milliseconds period{250};
  /// Looks in so many milliseconds, rounded up.
  [[nodiscard]] static constexpr uint64_t looks_in(uint64_t ms) {
    const auto each = static_cast<uint64_t>(period.count());
    return ms / each + (ms % each != 0 ? 1 : 0);
  }

 private:
  struct Seen {
    KernelState state;
    uint64_t looks = 0;
  };

  const uint64_t looks_;
  const Stuck stuck_;
  const StuckKernels::Mute mute_;
  const std::function<void(std::span<const KernelState>)> looked_;
  std::vector<Seen> seen_;
};

}  // namespace pto2::executors
