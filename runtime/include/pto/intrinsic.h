/// Which part of its block task a kernel runs.
#pragma once

#include "pto_kernel_api.h"

inline int32_t get_block_idx(const int64_t* args) {
  return static_cast<int32_t>(pto_block_id(args));
}
inline int32_t get_block_num(const int64_t* args) {
  return static_cast<int32_t>(pto_block_dim(args));
}

/// Which vector core of its cluster: not there.
template <class Args>
int32_t get_sub_block_id(Args) {
  static_assert(sizeof(Args) == 0, "get_sub_block_id is not there: see docs/TILES.md");
  return 0;
}
