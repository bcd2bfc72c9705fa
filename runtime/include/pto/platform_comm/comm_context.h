/// What a kernel knows of its rank and of the memory of the others, by an address among its
/// arguments. Whoever launches the kernels of the ranks gives each of them one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/global_memory.hpp"

inline constexpr uint32_t COMM_MAX_RANK_NUM = 64;

struct CommContext {
  uint64_t workSpace;
  uint64_t workSpaceSize;
  uint32_t rankId;
  uint32_t rankNum;
  uint64_t winSize;                       ///< bytes of each window
  uint64_t windowsIn[COMM_MAX_RANK_NUM];  ///< where the window of each rank begins
  uint64_t windowsOut[COMM_MAX_RANK_NUM];
};
// Compilers have kernels read it as an array of words.
static_assert(sizeof(CommContext) == 1056 && offsetof(CommContext, rankId) == 16 &&
              offsetof(CommContext, windowsIn) == 32);

namespace pto::detail {

[[gnu::visibility("hidden")]] inline const bool is_told_of_peers = (knows_peers = true);

}  // namespace pto::detail
