/// Paged attention, one task per sequence, head tile, block and step.
#include "runtime/include/pto_orchestration_api.h"

#include <algorithm>
#include <iterator>

#include "runtime/workloads/attention/problem.hpp"

namespace {

using namespace pto2::workloads;

/// Flat: all tasks of a sequence in one scope. Nested: each block's four tasks in a scope of its
/// own, so that a window smaller than a sequence is enough.
enum class Scopes { flat, nested };

struct Arguments {
  Tensor query;        // (batch x num_heads, head_dim)
  Tensor key_cache;    // (total_blocks x block_size, head_dim)
  Tensor value_cache;  // the same
  Tensor out;          // (batch x num_heads, head_dim)
  DataType dtype;
};

/// One sequence and head tile: its state and its parts of the arguments.
struct Sequence {
  uint64_t index;
  uint64_t rows;
  uint64_t blocks;
  Tensor oi, li, mi;
  Tensor query, out;
};

Arguments make_arguments(const AttentionProblem& p, DataType dtype) {
  const uint64_t query[] = {p.batch * p.num_heads, p.head_dim};
  const uint64_t cache[] = {p.total_blocks * p.block_size, p.head_dim};
  return {make_tensor_external(p.query, query, 2, dtype),
          make_tensor_external(p.key_cache, cache, 2, dtype),
          make_tensor_external(p.value_cache, cache, 2, dtype),
          make_tensor_external(p.out, query, 2), dtype};
}

Sequence begin_sequence(PTO2Runtime* rt, const AttentionProblem& p, const Arguments& a, uint64_t b,
                        uint64_t head) {
  const uint64_t rows = std::min(p.query_tile, p.num_heads - head);
  const uint64_t tile[] = {rows, p.head_dim};
  const uint64_t origin[] = {b * p.num_heads + head, 0};
  Sequence s{b,
             rows,
             p.blocks_of(b),
             make_tensor(tile, 2),
             make_tensor(tile, 1),
             make_tensor(tile, 1),
             a.query.view(tile, origin),
             a.out.view(tile, origin)};
  const PTOParam hub[] = {make_output_param(s.oi), make_output_param(s.li),
                          make_output_param(s.mi)};
  pto2_rt_submit_task(rt, func_hub, PTO2_WORKER_VECTOR, hub, std::size(hub));
  return s;
}

void submit_block(PTO2Runtime* rt, const AttentionProblem& p, const Arguments& a, const Sequence& s,
                  uint64_t bn) {
  const auto block = static_cast<uint64_t>(p.block_table[s.index * p.blocks_per_request + bn]);
  const uint64_t cache_shape[] = {p.block_size, p.head_dim};
  const uint64_t cache_origin[] = {block * p.block_size, 0};
  const uint64_t score_shape[] = {s.rows, p.block_size};
  const uint64_t out_shape[] = {s.rows, p.head_dim};
  Tensor sij = make_tensor(score_shape, 2);
  Tensor pij = make_tensor(score_shape, 2, a.dtype);
  Tensor mij = make_tensor(score_shape, 1);
  Tensor lij = make_tensor(score_shape, 1);
  Tensor oi_new = make_tensor(out_shape, 2);

  const PTOParam qk[] = {make_input_param(s.query),
                         make_input_param(a.key_cache.view(cache_shape, cache_origin)),
                         make_output_param(sij)};
  pto2_rt_submit_task(rt, func_qk, PTO2_WORKER_CUBE, qk, std::size(qk));

  const auto context = static_cast<uint64_t>(p.context_lens[s.index]);
  const uint64_t valid_shape[] = {s.rows, std::min(p.block_size, context - bn * p.block_size)};
  const uint64_t valid_origin[] = {0, 0};
  const PTOParam sf[] = {make_input_param(sij.view(valid_shape, valid_origin)),
                         make_output_param(pij), make_output_param(mij), make_output_param(lij),
                         make_scalar_param(p.scale_bits)};
  pto2_rt_submit_task(rt, func_sf, PTO2_WORKER_VECTOR, sf, std::size(sf));

  const PTOParam pv[] = {make_input_param(pij),
                         make_input_param(a.value_cache.view(cache_shape, cache_origin)),
                         make_output_param(oi_new)};
  pto2_rt_submit_task(rt, func_pv, PTO2_WORKER_CUBE, pv, std::size(pv));

  // Only the last step writes `out`; the others leave it as it is, hence INOUT.
  const PTOParam up[] = {
      make_input_param(mij),   make_input_param(lij),      make_input_param(oi_new),
      make_inout_param(s.mi),  make_inout_param(s.li),     make_inout_param(s.oi),
      make_inout_param(s.out), make_scalar_param(bn == 0), make_scalar_param(bn + 1 == s.blocks)};
  pto2_rt_submit_task(rt, func_up, PTO2_WORKER_VECTOR, up, std::size(up));
}

void submit_sequence(PTO2Runtime* rt, const AttentionProblem& p, const Arguments& a, uint64_t b,
                     uint64_t head, Scopes scopes) {
  const Sequence s = begin_sequence(rt, p, a, b, head);
  for (uint64_t bn = 0; bn < s.blocks; ++bn) {
    if (scopes == Scopes::nested) {
      PTO2_SCOPE(rt) {
        submit_block(rt, p, a, s, bn);
      }
    } else {
      submit_block(rt, p, a, s, bn);
    }
  }
}

void build(PTO2Runtime* rt, uint64_t* args, DataType dtype, Scopes scopes) {
  AttentionProblem p = unpack_attention(args);
  if (!check_attention(rt, args, p)) return;
  for (uint64_t b = 0; b < p.batch; ++b) {
    if (!check_block_indices(rt, p, b, p.blocks_of(b))) return;
  }
  const Arguments a = make_arguments(p, dtype);
  for (uint64_t b = 0; b < p.batch; ++b) {
    for (uint64_t head = 0; head < p.num_heads; head += p.query_tile) {
      PTO2_SCOPE(rt) {
        submit_sequence(rt, p, a, b, head, scopes);
      }
    }
  }
  pto2_rt_orchestration_done(rt);
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = attention_arg_count};
}

/// Queries and caches in fp16.
extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  build(rt, args, DataType::FLOAT16, Scopes::flat);
}

/// Queries and caches in bf16.
extern "C" void aicpu_orchestration_entry_bf16(PTO2Runtime* rt, uint64_t* args, int) {
  build(rt, args, DataType::BFLOAT16, Scopes::flat);
}

/// Queries and caches in bf16, each block in a nested scope.
extern "C" void aicpu_orchestration_entry_bf16_nested(PTO2Runtime* rt, uint64_t* args, int) {
  build(rt, args, DataType::BFLOAT16, Scopes::nested);
}
