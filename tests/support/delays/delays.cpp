#include "tests/support/delays/delays.hpp"

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace pto2::test {

namespace {

std::atomic<Delays> in_force{Delays{}};
static_assert(std::atomic<Delays>::is_always_lock_free);

/// What an OS thread has to remember.
class Accesses {
 public:
  ~Accesses() { flush(); }

  /// Before an access that is neither a load nor a store.
  void access() {
    flush();
    loads_ = 0;
    delay(1);
  }
  /// Before a load.
  void load(const volatile void* address) {
    if (stores_ != 0 && (is_put_off(address) || loads_left_-- == 0)) flush();
    delay(++loads_ <= loads_after_a_change ? 1 : 32);
  }
  /// In place of a store.
  template <class T>
  void store(volatile T* address, T value, int order) {
    loads_ = 0;
    delay(1);
    if (order == __ATOMIC_SEQ_CST || stores_ == buffer_.size() ||
        (stores_ == 0 && random() % 2 == 0)) {
      flush();
      __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
      return;
    }
    if (stores_ == 0) loads_left_ = random() % 4;
    buffer_[stores_++] = {address, value, [](volatile void* to, uint64_t bits) {
                            __atomic_store_n(static_cast<volatile T*>(to), static_cast<T>(bits),
                                             __ATOMIC_SEQ_CST);
                          }};
  }
  /// Carries out the stores that were put off, after another delay: what was loaded meanwhile is
  /// old.
  void flush() {
    if (stores_ == 0) return;
    delay(1);
    for (std::size_t i = 0; i < stores_; ++i) buffer_[i].carry_out(buffer_[i].to, buffer_[i].bits);
    stores_ = 0;
  }

 private:
  static constexpr uint32_t loads_after_a_change = 12;

  void delay(uint32_t times) {
    const Delays delays = in_force.load(std::memory_order_relaxed);
    if (delays.one_in == 0 || random() % (delays.one_in * times) != 0) return;
    // Where several threads share a CPU, the others get it in between.
    if (random() % 4 == 0) {
      sched_yield();
      return;
    }
    // Short ones and long ones alike: the window on the other side may be of any width.
    uint32_t longest = delays.longest;
    longest >>= random() % 8;
    busy(longest == 0 ? 0 : random() % longest);
  }
  /// xorshift64*, seeded with the address of this.
  uint32_t random() {
    if (state_ == 0) state_ = reinterpret_cast<uint64_t>(this) | 1;
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<uint32_t>((state_ * 0x2545f4914f6cdd1d) >> 33);
  }

  [[nodiscard]] bool is_put_off(const volatile void* address) const {
    for (std::size_t i = 0; i < stores_; ++i) {
      if (buffer_[i].to == address) return true;
    }
    return false;
  }

  struct Store {
    volatile void* to;
    uint64_t bits;
    void (*carry_out)(volatile void* to, uint64_t bits);
  };

  uint64_t state_ = 0;
  uint32_t loads_ = 0;             // since the last change
  std::array<Store, 4> buffer_{};  // what was put off, in order
  std::size_t stores_ = 0;         // of them
  uint32_t loads_left_ = 0;        // until they are carried out
};

thread_local Accesses accesses;

}  // namespace

void set_delays(const Delays& delays) {
  in_force.store(delays);
}

}  // namespace pto2::test

using pto2::test::accesses;

// The names and types are those that -fsanitize=thread calls, of GCC, and of Clang where they
// differ; what ships uses these sizes.
#define PTO2_ANNOUNCED_ATOMIC(BITS, T)                                                            \
  T __tsan_atomic##BITS##_load(const volatile T* address, int) {                                  \
    accesses.load(address);                                                                       \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                            \
  }                                                                                               \
  void __tsan_atomic##BITS##_store(volatile T* address, T value, int order) {                     \
    accesses.store(address, value, order);                                                        \
  }                                                                                               \
  T __tsan_atomic##BITS##_exchange(volatile T* address, T value, int) {                           \
    accesses.access();                                                                            \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                 \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_add(volatile T* address, T value, int) {                          \
    accesses.access();                                                                            \
    return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_sub(volatile T* address, T value, int) {                          \
    accesses.access();                                                                            \
    return __atomic_fetch_sub(address, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_or(volatile T* address, T value, int) {                           \
    accesses.access();                                                                            \
    return __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST);                                   \
  }                                                                                               \
  T __tsan_atomic##BITS##_fetch_and(volatile T* address, T value, int) {                          \
    accesses.access();                                                                            \
    return __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                               \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* address, T* expected, T value,    \
                                                    int, int) {                                   \
    accesses.access();                                                                            \
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,         \
                                       __ATOMIC_SEQ_CST);                                         \
  }                                                                                               \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* address, T* expected, T value, int, \
                                                  int) {                                          \
    return __tsan_atomic##BITS##_compare_exchange_strong(address, expected, value, 0, 0);         \
  }                                                                                               \
  T __tsan_atomic##BITS##_compare_exchange_val(volatile T* address, T expected, T value, int,     \
                                               int) {                                             \
    (void)__tsan_atomic##BITS##_compare_exchange_strong(address, &expected, value, 0, 0);         \
    return expected;                                                                              \
  }

extern "C" {

PTO2_ANNOUNCED_ATOMIC(8, uint8_t)
PTO2_ANNOUNCED_ATOMIC(32, uint32_t)
PTO2_ANNOUNCED_ATOMIC(64, uint64_t)

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read1(void*) {}
void __tsan_read2(void*) {}
void __tsan_read4(void*) {}
void __tsan_read8(void*) {}
void __tsan_read16(void*) {}
void __tsan_read_range(void*, std::size_t) {}
void __tsan_write1(void*) {
  accesses.access();
}
void __tsan_write2(void*) {
  accesses.access();
}
void __tsan_write4(void*) {
  accesses.access();
}
void __tsan_write8(void*) {
  accesses.access();
}
void __tsan_write16(void*) {
  accesses.access();
}
void __tsan_write_range(void*, std::size_t) {
  accesses.access();
}
void __tsan_vptr_read(void**) {}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  accesses.access();
  return std::memset(to, value, bytes);
}
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  accesses.access();
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  accesses.access();
  return std::memmove(to, from, bytes);
}

}  // extern "C"
