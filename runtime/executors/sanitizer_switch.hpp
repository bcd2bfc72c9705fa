/// The sanitizers' view of a fiber switch; nothing in ordinary builds.
///
/// TSan knows fibers as threads of their own. On the packed executor a fiber is a logical thread,
/// and what it does is ordered with what others do by the protocols of core alone, as on OS
/// threads: a switch makes no edge, whoever shares the host. What a host does, in between or when a
/// fiber calls it to ring, yield or detach (TsanHostScope), is the host's. The edges that the
/// executor promises are made where it does: from the team's start to each fiber, from a ring to
/// what its fiber does after it (FH-I6), and from the end of each fiber to the end of the team's
/// run.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
// Instrumented code need not run under TSan: tests/support/delays.
#if defined(__SANITIZE_THREAD__) && !defined(PTO2_DELAYED)
#define PTO2_UNDER_TSAN 1
#else
#define PTO2_UNDER_TSAN 0
#endif
#if PTO2_UNDER_TSAN
#include <sanitizer/tsan_interface.h>
// Of the run-time library, but in no header of GCC 12.
extern "C" void __tsan_ignore_thread_begin();
extern "C" void __tsan_ignore_thread_end();
extern "C" void __tsan_func_exit();
#endif

/// For a function whose accesses TSan takes no notice of.
#if PTO2_UNDER_TSAN
#define PTO2_UNSEEN_BY_TSAN __attribute__((no_sanitize("thread")))
#else
#define PTO2_UNSEEN_BY_TSAN
#endif

namespace pto2::executors {

/// Whether what two logical threads have on one stack, one after the other, is taken for a race.
inline constexpr bool threads_need_stacks = PTO2_UNDER_TSAN != 0;

/// TSan's context of the host that the calling OS thread is, or null. Only there with TSan.
void* current_host_context() noexcept;

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

/// Around the time for which memory is nobody's: whoever uses it then is found out by ASan.
inline void forbid_access([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(memory, bytes);
#endif
}
inline void allow_access([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

inline void* tsan_create() {
#if PTO2_UNDER_TSAN
  return __tsan_create_fiber(0);
#else
  return nullptr;
#endif
}
inline void tsan_destroy([[maybe_unused]] void* fiber) {
#if PTO2_UNDER_TSAN
  __tsan_destroy_fiber(fiber);
#endif
}
inline void* tsan_current() {
#if PTO2_UNDER_TSAN
  return __tsan_get_current_fiber();
#else
  return nullptr;
#endif
}
/// `ordered`: what was done before the switch happens before what follows it.
inline void tsan_switch([[maybe_unused]] void* to, [[maybe_unused]] bool ordered) {
#if PTO2_UNDER_TSAN
  __tsan_switch_to_fiber(to, ordered ? 0 : __tsan_switch_to_fiber_no_sync);
#endif
}

/// A fiber has ended in its context, or was never begun there: the next one may have it. The
/// function that boost.context begins a stack with never returns: TSan is told that it did.
inline void tsan_leave_entry([[maybe_unused]] void* fiber) {
#if PTO2_UNDER_TSAN
  void* const current = __tsan_get_current_fiber();
  tsan_switch(fiber, false);
  __tsan_func_exit();
  tsan_switch(current, false);
#endif
}

/// In between, TSan takes no notice of what is accessed: the fields that the two sides of a switch
/// share, which one OS thread accesses after the other.
inline void tsan_ignore_begin() {
#if PTO2_UNDER_TSAN
  __tsan_ignore_thread_begin();
#endif
}
inline void tsan_ignore_end() {
#if PTO2_UNDER_TSAN
  __tsan_ignore_thread_end();
#endif
}

/// What comes before publish happens before what comes after an observe of the same object that
/// follows it.
inline void tsan_publish([[maybe_unused]] void* object) {
#if PTO2_UNDER_TSAN
  __tsan_release(object);
#endif
}
inline void tsan_observe([[maybe_unused]] void* object) {
#if PTO2_UNDER_TSAN
  __tsan_acquire(object);
#endif
}

/// While one lives, TSan takes what the calling fiber does for its host's; nothing is changed for a
/// caller that is no fiber of a host. Begins and ends in one function, which does not suspend
/// meanwhile.
class [[maybe_unused]] TsanHostScope {
 public:
#if PTO2_UNDER_TSAN
  TsanHostScope() {
    void* const context = current_host_context();
    if (context == nullptr) return;
    left_ = __tsan_get_current_fiber();
    tsan_switch(context, false);
  }
  ~TsanHostScope() {
    if (left_ != nullptr) tsan_switch(left_, false);
  }
  TsanHostScope(const TsanHostScope&) = delete;
  TsanHostScope& operator=(const TsanHostScope&) = delete;

 private:
  void* left_ = nullptr;
#else
  TsanHostScope() {}
#endif
};

}  // namespace pto2::executors
