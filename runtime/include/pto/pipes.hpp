/// What orders the pipes of a core. Every instruction is over before the next one begins here, so
/// these do nothing.
#pragma once

#include "pto/types.hpp"

inline void set_flag(pipe_t, pipe_t, int) {}
inline void wait_flag(pipe_t, pipe_t, int) {}
inline void pipe_barrier(pipe_t) {}

// Macros, because kernels define them anew.
#define dcci(...) static_cast<void>(0)
#define dsb(...) static_cast<void>(0)
#define DSB_DDR 0
#define SINGLE_CACHE_LINE 0
#define ENTIRE_DATA_CACHE 0
#define CACHELINE_OUT 0

/// Masks of the vector unit: instructions on tiles set their own.
inline void set_mask_norm() {}
inline void set_vector_mask(uint64_t, uint64_t) {}
