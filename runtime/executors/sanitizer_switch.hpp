/// The sanitizers' view of a fiber switch; nothing in ordinary builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace pto2::executors {

/// Before leaving a stack for the one at [bottom, bottom + bytes). `fake_stack` keeps the leaving
/// stack's shadow; null when the leaving stack will never run again.
inline void start_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                         [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
#endif
}

/// After arriving on a stack; tells where the stack that was left lies.
inline void finish_switch([[maybe_unused]] void* fake_stack,
                          [[maybe_unused]] const void** left_bottom,
                          [[maybe_unused]] std::size_t* left_bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, left_bottom, left_bytes);
#endif
}

/// For a visit to the stack at [bottom, bottom + bytes), which `visit` makes by itself: what it
/// leaves there must not lie in the visitor's fake stack.
template <class Visit>
auto visit_stack(const void* bottom, std::size_t bytes, Visit&& visit) {
  void* fake_stack = nullptr;
  const void* own_bottom = nullptr;
  std::size_t own_bytes = 0;
  start_switch(&fake_stack, bottom, bytes);
  auto result = visit();
  finish_switch(nullptr, &own_bottom, &own_bytes);
  start_switch(nullptr, own_bottom, own_bytes);
  finish_switch(fake_stack, nullptr, nullptr);
  return result;
}

/// Before a stack is given back: frames that never returned have left their red zones on it.
inline void forget_stack([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(bottom, bytes);
#endif
}

inline void* tsan_create() {
#if defined(__SANITIZE_THREAD__)
  return __tsan_create_fiber(0);
#else
  return nullptr;
#endif
}
inline void tsan_destroy([[maybe_unused]] void* fiber) {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(fiber);
#endif
}
inline void* tsan_current() {
#if defined(__SANITIZE_THREAD__)
  return __tsan_get_current_fiber();
#else
  return nullptr;
#endif
}
/// The default flag makes a happens-before edge of every switch. That is right for fibers that
/// share one host; race evidence comes from the executor `threads`, which has no fibers.
inline void tsan_switch([[maybe_unused]] void* to) {
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to, 0);
#endif
}

}  // namespace pto2::executors
