/// A pointer that each OS thread has of its own, for code that fibers run.
///
/// A fiber goes on on another OS thread, and a compiler may keep the address of a thread-local
/// variable meanwhile. So each access goes through the segment of the thread that runs now; where
/// that cannot be said, to a function that nothing is inlined into or out of.
#pragma once

#include <cstddef>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define PTO2_HAS_SEGMENTS 1
#else
#define PTO2_HAS_SEGMENTS 0
#endif

namespace pto2::executors {

#if PTO2_HAS_SEGMENTS
template <class T>
class ThreadPointer {
 public:
  /// `own`: the thread-local variable, as the calling thread sees it.
  explicit ThreadPointer(T* volatile& own) {
    std::ptrdiff_t segment = 0;
    asm("movq %%fs:0, %0" : "=r"(segment));
    offset_ = reinterpret_cast<std::ptrdiff_t>(&own) - segment;
  }
  [[nodiscard, gnu::always_inline]] T* get() const {
    T* value;
    asm volatile("movq %%fs:(%1), %0" : "=r"(value) : "r"(offset_) : "memory");
    return value;
  }
  [[gnu::always_inline]] void set(T* value) const {
    asm volatile("movq %0, %%fs:(%1)" : : "re"(value), "r"(offset_) : "memory");
  }

 private:
  std::ptrdiff_t offset_;  // from where the segment begins: as far in each thread
};
/// Of a ThreadPointer, which is made before what other files make at the start of the program.
#define PTO2_THREAD_POINTER [[gnu::init_priority(101)]]
#endif

}  // namespace pto2::executors
