#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/workloads/tile_math/tile_math.hpp"
#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// Sixteen sequences per task, or one.
enum class AttentionForm { batch, sequence };

/// The parameters of one case. There is one KV head.
struct AttentionSpec {
  CaseInfo info;
  AttentionForm form;
  uint64_t batch;
  uint64_t num_heads;
  uint64_t head_dim;
  uint64_t block_size;
  std::vector<int64_t> context_lens;  ///< repeated over the batch
  uint64_t max_model_len;             ///< longest context that the block table has room for
  HalfFormat format;
  double tolerance;
  bool nested;  ///< each block in a scope of its own

  /// Room in the block table; 0 when block_size is 0 too.
  uint64_t blocks_per_request() const { return block_size == 0 ? 0 : max_model_len / block_size; }
  /// Blocks that a context covers.
  uint64_t blocks_of(int64_t context) const {
    return (static_cast<uint64_t>(context) + block_size - 1) / block_size;
  }
  int64_t context_of(uint64_t sequence) const {
    return context_lens[sequence % context_lens.size()];
  }
};

/// Tasks and edges of a graph.
struct GraphSize {
  uint64_t tasks = 0;
  uint64_t edges = 0;
};

/// A chunk of sequences (or one sequence) whose longest context has n blocks makes 1 + 4n tasks and
/// 6n - 1 edges: QK->SF, SF->PV, SF->UP, PV->UP and HUB->UP per block, and UP->UP from block to
/// block. A write of `out` is ordered by the same edges.
GraphSize graph_size(const AttentionSpec& spec);

/// The published cases of a form, the default one first.
const std::vector<AttentionSpec>& attention_specs(AttentionForm form);

}  // namespace pto2::workloads
