/// The arguments of a paged attention orchestration, unpacked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/include/pto_orchestration_api.h"

namespace pto2::workloads {

/// Kernel ids, in both forms.
enum AttentionKernel : int32_t { func_qk = 0, func_sf = 1, func_pv = 2, func_up = 3, func_hub = 5 };

constexpr int attention_arg_count = 10;
/// Most query heads that one tile takes.
constexpr uint64_t max_query_tile = 128;

struct AttentionProblem {
  void* query;                  ///< batch x num_heads x head_dim
  void* key_cache;              ///< total_blocks x block_size x 1 x head_dim
  void* value_cache;            ///< the same
  const int32_t* block_table;   ///< batch x blocks_per_request
  const int32_t* context_lens;  ///< batch
  void* out;                    ///< batch x num_heads x head_dim floats
  uint64_t batch;
  uint64_t num_heads;
  uint64_t head_dim;
  uint64_t block_size;
  uint64_t blocks_per_request;
  uint64_t total_blocks;
  uint64_t query_tile;
  uint64_t scale_bits;  ///< of a float

  /// Blocks that sequence b covers.
  uint64_t blocks_of(uint64_t b) const {
    return (static_cast<uint64_t>(context_lens[b]) + block_size - 1) / block_size;
  }
};

/// Unpacks query, key_cache, value_cache, block_table, context_lens, out, config, size_query,
/// size_key_cache, size_value_cache (bytes); config is batch, num_heads, kv_head_num, head_dim,
/// block_size, max_num_blocks_per_req, scale, each int64. Reads no memory but config.
inline AttentionProblem unpack_attention(const uint64_t* args) {
  const auto* config = reinterpret_cast<const int64_t*>(args[6]);
  AttentionProblem p{};
  p.query = reinterpret_cast<void*>(args[0]);
  p.key_cache = reinterpret_cast<void*>(args[1]);
  p.value_cache = reinterpret_cast<void*>(args[2]);
  p.block_table = reinterpret_cast<const int32_t*>(args[3]);
  p.context_lens = reinterpret_cast<const int32_t*>(args[4]);
  p.out = reinterpret_cast<void*>(args[5]);
  p.batch = static_cast<uint64_t>(config[0]);
  p.num_heads = static_cast<uint64_t>(config[1]);
  p.head_dim = static_cast<uint64_t>(config[3]);
  p.block_size = static_cast<uint64_t>(config[4]);
  p.blocks_per_request = static_cast<uint64_t>(config[5]);
  p.scale_bits = static_cast<uint32_t>(config[6]);
  p.query_tile = std::min(p.num_heads, max_query_tile);
  return p;
}

/// Checks the configuration against the sizes, and every block index that will be used. Logs what
/// is wrong and returns false; then nothing must be submitted.
inline bool check_attention(PTO2Runtime* rt, const uint64_t* args, AttentionProblem& p) {
  const auto* config = reinterpret_cast<const int64_t*>(args[6]);
  constexpr int64_t limit = 1 << 20;  // of each extent, so that no product below overflows
  for (int i = 0; i < 6; ++i) {
    if (config[i] <= 0 || config[i] > limit) {
      LOG_ERROR(rt, "paged attention: config[%d] is %lld, not in 1..%lld", i,
                static_cast<long long>(config[i]), static_cast<long long>(limit));
      return false;
    }
  }
  if (config[2] != 1) {
    LOG_ERROR(rt, "paged attention: %lld KV heads; this orchestration supports 1",
              static_cast<long long>(config[2]));
    return false;
  }
  const uint64_t block_bytes = p.block_size * p.head_dim * 2;
  p.total_blocks = args[8] / block_bytes;
  if (args[7] != p.batch * p.num_heads * p.head_dim * 2 || p.total_blocks == 0 ||
      args[8] % block_bytes != 0 || args[8] != args[9]) {
    LOG_ERROR(rt,
              "paged attention: sizes of query (%llu), key (%llu) and value cache (%llu) do "
              "not fit the configuration",
              static_cast<unsigned long long>(args[7]), static_cast<unsigned long long>(args[8]),
              static_cast<unsigned long long>(args[9]));
    return false;
  }
  for (uint64_t b = 0; b < p.batch; ++b) {
    if (p.context_lens[b] < 1 || p.blocks_of(b) > p.blocks_per_request) {
      LOG_ERROR(rt, "paged attention: context length %d of sequence %llu is not in 1..%llu",
                p.context_lens[b], static_cast<unsigned long long>(b),
                static_cast<unsigned long long>(p.blocks_per_request * p.block_size));
      return false;
    }
  }
  return true;
}

/// Checks the first `blocks` block indices of sequence b.
inline bool check_block_indices(PTO2Runtime* rt, const AttentionProblem& p, uint64_t b,
                                uint64_t blocks) {
  for (uint64_t bn = 0; bn < blocks; ++bn) {
    const int32_t block = p.block_table[b * p.blocks_per_request + bn];
    if (block < 0 || static_cast<uint64_t>(block) >= p.total_blocks) {
      LOG_ERROR(rt, "paged attention: block %d of sequence %llu is not in 0..%llu", block,
                static_cast<unsigned long long>(b),
                static_cast<unsigned long long>(p.total_blocks - 1));
      return false;
    }
  }
  return true;
}

}  // namespace pto2::workloads
