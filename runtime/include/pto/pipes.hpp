/// What orders the pipes of a core. Every instruction is over before the next one begins here, so
/// these do nothing, but for the checks of level 2, which find what they do not order.
#pragma once

#include <time.h>

#include "pto/accesses.hpp"
#include "pto/types.hpp"

#if PTO2_KERNEL_CHECKS >= 2

/// That a flag is set by one pipe for another.
inline void check_flag(pipe_t from, pipe_t to, const pto::checks::Site& site) {
  if (from < PIPE_ALL && to < PIPE_ALL) return;
  throw pto::checks::Finding(text_of(site) + ": PIPE_ALL has no flags: name a pipe");
}
inline void set_flag(pipe_t from, pipe_t to, int event,
                     pto::detail::Site site = pto::detail::Site::here()) {
  using pto::detail::checked;
  check_flag(from, to, {"set_flag", site.file, site.line});
  pto::detail::access_log.set_flag(checked(from), checked(to), event);
}
inline void wait_flag(pipe_t from, pipe_t to, int event,
                      pto::detail::Site site = pto::detail::Site::here()) {
  using pto::detail::checked;
  check_flag(from, to, {"wait_flag", site.file, site.line});
  pto::detail::access_log.wait_flag(checked(from), checked(to), event,
                                    {"wait_flag", site.file, site.line});
}
/// A pipe runs its own instructions in order: only all of them have something to wait for.
inline void pipe_barrier(pipe_t pipe) {
  if (pipe == PIPE_ALL) pto::detail::access_log.barrier_of_all();
}

/// Within an instruction that two pipes share.
inline void order_pipes(pipe_t from, pipe_t to) {
  constexpr int own_event = -2;
  set_flag(from, to, own_event);
  wait_flag(from, to, own_event);
}
/// What the scalar pipe has done comes before whatever is issued next.
inline void order_scalar_pipe() {
  constexpr int own_event = -1;
  for (const pipe_t pipe : {PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX}) {
    set_flag(PIPE_S, pipe, own_event);
    wait_flag(PIPE_S, pipe, own_event);
  }
}

#else

inline void order_pipes(pipe_t, pipe_t) {}
inline void order_scalar_pipe() {}
inline void set_flag(pipe_t, pipe_t, int) {}
inline void wait_flag(pipe_t, pipe_t, int) {}
inline void pipe_barrier(pipe_t) {}

#endif

// Macros, because kernels define them anew.
#define dcci(...) static_cast<void>(0)
#define dsb(...) order_scalar_pipe()
#define DSB_DDR 0
#define DSB_UB 1
#define SINGLE_CACHE_LINE 0
#define ENTIRE_DATA_CACHE 0
#define CACHELINE_OUT 0

/// A counter of time, in nanoseconds.
inline uint64_t get_sys_cnt() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

/// Masks of the vector unit: instructions on tiles set their own.
inline void set_mask_norm() {}
inline void set_vector_mask(uint64_t, uint64_t) {}
