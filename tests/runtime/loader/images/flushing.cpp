#include <cfenv>
#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

/// As images that are linked with -ffast-math do at their start: subnormals count as zero.
void flush_subnormals() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | uint64_t{1} << 24));
#endif
}

struct Flushing {
  Flushing() { change(); }
  ~Flushing() { change(); }

  static void change() {
    flush_subnormals();
    std::fesetround(FE_UPWARD);
  }
} flushing;

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  args[0] = 5;
}
