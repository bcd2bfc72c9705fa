/// Which part of its block task a kernel runs, and on which of its cluster's vector cores.
#pragma once

#include "pto/dma_workspace.h"
#include "pto_core_calls.h"

/// PTO2_WORKER_VECTOR, as orchestrations know it.
inline constexpr int32_t pto2_vector_core = 1;

inline int32_t get_block_idx(const int64_t* args) {
  return static_cast<int32_t>(pto_block_id(args));
}
inline int32_t get_block_num(const int64_t* args) {
  return static_cast<int32_t>(pto_block_dim(args));
}

/// Which vector core of its cluster runs the kernel; 0 on other cores.
inline int32_t get_sub_block_id(const int64_t* args) {
  const PTOPlace place = pto_place(args);
  return place.cluster >= 0 && place.type == pto2_vector_core ? place.index : 0;
}
