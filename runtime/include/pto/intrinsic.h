/// Which part of its block task a kernel runs.
#pragma once

#include "pto_kernel_api.h"

inline int32_t get_block_idx(const int64_t* args) {
  return static_cast<int32_t>(pto_block_id(args));
}
inline int32_t get_block_num(const int64_t* args) {
  return static_cast<int32_t>(pto_block_dim(args));
}
