/// Time that passes inside of the caller's own image, as in a loop, but without taking the CPU from
/// other tests: the system is called from here and not from a library.
#pragma once

#include <sys/syscall.h>

#include <chrono>
#include <ctime>

namespace pto2::test {

/// Sleeps for less than a second, or until a signal has been handled.
[[gnu::always_inline]] inline void sleep_in_place(std::chrono::nanoseconds time) {
  const timespec length{0, time.count()};
  long result = SYS_nanosleep;
  asm volatile("syscall" : "+a"(result) : "D"(&length), "S"(nullptr) : "rcx", "r11", "memory");
}

/// Stays for ten seconds: far longer than any deadline of a test, but so that a test in which
/// nobody ends it fails and does not hang.
[[gnu::always_inline]] inline void stay_in_place() {
  for (int i = 0; i < 50; ++i) sleep_in_place(std::chrono::milliseconds(200));
}

}  // namespace pto2::test
