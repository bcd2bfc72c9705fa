/// Delays at the accesses of code that is compiled to announce them.
///
/// A hand-over between two threads is broken, if it is, in a window of a few instructions. The code
/// under test is compiled from the source that ships with GCC's instrumentation for ThreadSanitizer
/// and linked with the functions of delays.cpp instead of ThreadSanitizer: they carry out each
/// access, and now and then wait before it, or give up the CPU. Windows become as wide as the
/// delays, wherever they are. Besides, stores that are not sequentially consistent may be put off
/// until some loads behind them have been done: up to four, carried out in their order after
/// another delay, as those in a processor's store buffer are.
///
/// What waits must be compiled so, too, or a store might be put off for as long as the wait lasts.
///
/// A program that is linked with no_delays.cpp has none, and the library as it ships.
#pragma once

#include <cstdint>

namespace pto2::test {

/// How the accesses of the instrumented code are delayed.
struct Delays {
  /// Accesses per delay, on average; 0: no delays. A polling loop is delayed less, or it would take
  /// most of the time: loads that are far from the last change count for a thirty-second.
  uint32_t one_in = 0;
  /// Of a delay, in turns of busy(), below 2^31; one in four gives up the CPU instead.
  uint32_t longest = 0;
};

/// From now on, on all OS threads.
void set_delays(const Delays& delays);

/// `n` turns of an empty loop, less than a nanosecond each.
inline void busy(uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) asm volatile("");
}

}  // namespace pto2::test
