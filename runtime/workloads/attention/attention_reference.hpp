#pragma once

#include <cstdint>
#include <vector>

#include "runtime/workloads/tile_math/tile_math.hpp"

namespace pto2::workloads {

/// Inputs of paged attention with one KV head, in host memory.
struct AttentionInputs {
  const uint16_t* query;        ///< batch x num_heads x head_dim
  const uint16_t* keys;         ///< blocks x block_size x head_dim
  const uint16_t* values;       ///< the same
  const int32_t* block_table;   ///< batch x blocks_per_request
  const int32_t* context_lens;  ///< batch
  uint64_t batch;
  uint64_t num_heads;
  uint64_t head_dim;
  uint64_t block_size;
  uint64_t blocks_per_request;
  double scale;
  HalfFormat format;
};

/// softmax(scale * Q K^T) V per sequence over its context, batch x num_heads x head_dim, by
/// definition and in double precision: all scores first, then the maximum, then the weights. It
/// shares nothing with the kernels, neither the online algorithm nor their conversions. Two
/// threads share the sequences.
std::vector<double> attention_reference(const AttentionInputs& inputs);

}  // namespace pto2::workloads
