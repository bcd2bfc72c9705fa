/// For kernels that wait at their end until what they have stored is there: it is.
#pragma once

#include "pto/pipes.hpp"

inline void pipe_sync() {
  pipe_barrier(PIPE_ALL);
}
