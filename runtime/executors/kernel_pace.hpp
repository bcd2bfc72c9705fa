/// How long the kernels of an OS thread take, from a sample of them: whether they are worth another
/// thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/executors/machine.hpp"

namespace pto2::executors {

/// `Clock`: counts nanoseconds.
template <class Clock>
class KernelPace {
 public:
  /// Handing a task to another OS thread takes longer than kernels of so many nanoseconds or less.
  explicit KernelPace(uint64_t short_ns) : short_ns_(short_ns) {}

  // On the thread, around each kernel.
  void begin() {
    if (--until_sample_ == 0) [[unlikely]]
      begin_sample();
  }
  /// True: by this one they have turned out, once more or for the first time, to be so long that
  /// two threads end earlier than one.
  [[nodiscard]] bool end() { return begin_ns_ != 0 && end_sample(); }

  // From any OS thread.

  /// Whether handing a task to another OS thread takes longer than its kernel, as far as is known.
  [[nodiscard]] bool is_short() const { return verdict() == Verdict::is_short; }
  /// The kernels that come are others: until the next verdict, which is on them alone, nothing is
  /// said. A verdict that is made at this moment may win.
  void forget() { verdict_.store(Verdict::forgotten, std::memory_order_relaxed); }

  /// A prime number, so that kernels which take turns are all among them.
  static constexpr uint32_t kernels_per_sample = 61;
  /// So many make a verdict, of which one may be another: an interruption.
  static constexpr uint32_t samples_per_verdict = 8;

 private:
  enum class Verdict : uint8_t { none_yet, is_short, neither, is_long, forgotten };

  [[nodiscard]] Verdict verdict() const { return verdict_.load(std::memory_order_relaxed); }
  [[nodiscard]] static uint64_t now() {
    return static_cast<uint64_t>(Clock::now().time_since_epoch().count());
  }
  [[gnu::noinline]] void begin_sample() {
    until_sample_ = verdict() == Verdict::none_yet ? 1 : kernels_per_sample;
    const uint64_t before = now();
    begin_ns_ = now();
    clock_ns_ = begin_ns_ - before;
  }
  [[gnu::noinline]] bool end_sample() {
    const uint64_t end = now();
    const uint64_t taken = end - std::min(end, begin_ns_ + clock_ns_);
    begin_ns_ = 0;
    if (verdict() == Verdict::forgotten) begin_again();
    not_short_ += taken > short_ns_ ? 1 : 0;
    long_ += taken > 2 * short_ns_ ? 1 : 0;
    if (++samples_ != samples_per_verdict) return false;
    const Verdict verdict = not_short_ <= 1 ? Verdict::is_short
                            : long_ > 1     ? Verdict::is_long
                                            : Verdict::neither;
    begin_again();
    verdict_.store(verdict, std::memory_order_relaxed);
    return verdict == Verdict::is_long;
  }
  void begin_again() {
    samples_ = not_short_ = long_ = 0;
    verdict_.store(Verdict::neither, std::memory_order_relaxed);
  }

  const uint64_t short_ns_;
  uint32_t until_sample_ = 1;
  uint64_t begin_ns_ = 0;  // of the kernel that is a sample; 0: it is none
  uint64_t clock_ns_ = 0;  // what it costs to ask the clock: about as much as a short kernel
  // Since the last verdict.
  uint32_t samples_ = 0;
  uint32_t not_short_ = 0;
  uint32_t long_ = 0;
  Machine::atomic<Verdict> verdict_{Verdict::none_yet};
};

}  // namespace pto2::executors
