/// Paged attention, sixteen sequences per task.
#include "runtime/include/pto_orchestration_api.h"

#include <algorithm>
#include <iterator>

#include "runtime/workloads/attention/problem.hpp"

namespace {

using namespace pto2::workloads;

constexpr uint64_t in_core_batch = 16;

/// The tensors that all chunks share.
struct Arguments {
  Tensor query;  // (batch, num_heads, head_dim)
  Tensor key_cache;
  Tensor value_cache;
  Tensor block_table;
  Tensor context_lens;
  Tensor out;  // (batch, num_heads, head_dim)
  DataType dtype;
};

/// Sequences start..start+count-1 and heads first_head..first_head+rows-1.
struct Chunk {
  uint64_t start;
  uint64_t count;
  uint64_t first_head;
  uint64_t rows;
};

Arguments make_arguments(const AttentionProblem& p, DataType dtype) {
  const uint64_t query[] = {p.batch, p.num_heads, p.head_dim};
  const uint64_t cache[] = {p.total_blocks, p.block_size, 1, p.head_dim};
  const uint64_t table[] = {p.batch, p.blocks_per_request};
  return {make_tensor_external(p.query, query, 3, dtype),
          make_tensor_external(p.key_cache, cache, 4, dtype),
          make_tensor_external(p.value_cache, cache, 4, dtype),
          make_tensor_external(const_cast<int32_t*>(p.block_table), table, 2, DataType::INT32),
          make_tensor_external(const_cast<int32_t*>(p.context_lens), table, 1, DataType::INT32),
          make_tensor_external(p.out, query, 3),
          dtype};
}

/// The running state of a chunk and its parts of the arguments.
struct ChunkTensors {
  Tensor oi, li, mi;
  Tensor query, block_table, context_lens, out;
};

ChunkTensors begin_chunk(PTO2Runtime* rt, const AttentionProblem& p, const Arguments& a,
                         const Chunk& c) {
  const uint64_t tile[] = {c.count, c.rows, p.head_dim};
  const uint64_t origin[] = {c.start, c.first_head, 0};
  const uint64_t table[] = {c.count, p.blocks_per_request};
  const uint64_t table_origin[] = {c.start, 0};
  ChunkTensors t{make_tensor(tile, 3),
                 make_tensor(tile, 2),
                 make_tensor(tile, 2),
                 a.query.view(tile, origin),
                 a.block_table.view(table, table_origin),
                 a.context_lens.view(table, table_origin),
                 a.out.view(tile, origin)};
  const PTOParam hub[] = {make_output_param(t.oi), make_output_param(t.li),
                          make_output_param(t.mi)};
  pto2_rt_submit_task(rt, func_hub, PTO2_WORKER_VECTOR, hub, std::size(hub));
  return t;
}

void submit_block(PTO2Runtime* rt, const AttentionProblem& p, const Arguments& a, const Chunk& c,
                  const ChunkTensors& t, uint64_t bn, uint64_t max_bn) {
  const uint64_t score_shape[] = {c.count, c.rows, p.block_size};
  const uint64_t out_shape[] = {c.count, c.rows, p.head_dim};
  Tensor sij = make_tensor(score_shape, 3);
  Tensor pij = make_tensor(score_shape, 3, a.dtype);
  Tensor mij = make_tensor(score_shape, 2);
  Tensor lij = make_tensor(score_shape, 2);
  Tensor oi_new = make_tensor(out_shape, 3);

  const PTOParam qk[] = {make_input_param(t.query), make_input_param(a.key_cache),
                         make_input_param(t.block_table), make_output_param(sij),
                         make_scalar_param(bn)};
  pto2_rt_submit_task(rt, func_qk, PTO2_WORKER_CUBE, qk, std::size(qk));

  const PTOParam sf[] = {make_input_param(sij),  make_input_param(t.context_lens),
                         make_output_param(pij), make_output_param(mij),
                         make_output_param(lij), make_scalar_param(p.scale_bits),
                         make_scalar_param(bn)};
  pto2_rt_submit_task(rt, func_sf, PTO2_WORKER_VECTOR, sf, std::size(sf));

  const PTOParam pv[] = {make_input_param(pij), make_input_param(a.value_cache),
                         make_input_param(t.block_table), make_output_param(oi_new),
                         make_scalar_param(bn)};
  pto2_rt_submit_task(rt, func_pv, PTO2_WORKER_CUBE, pv, std::size(pv));

  // Only the last step writes `out`; the others leave it as it is, hence INOUT.
  const PTOParam up[] = {
      make_input_param(mij),   make_input_param(lij),      make_input_param(oi_new),
      make_inout_param(t.mi),  make_inout_param(t.li),     make_inout_param(t.oi),
      make_inout_param(t.out), make_scalar_param(bn == 0), make_scalar_param(bn + 1 == max_bn)};
  pto2_rt_submit_task(rt, func_up, PTO2_WORKER_VECTOR, up, std::size(up));
}

void build(PTO2Runtime* rt, uint64_t* args, DataType dtype) {
  AttentionProblem p = unpack_attention(args);
  if (!check_attention(rt, args, p)) return;
  uint64_t max_bn = 0;
  for (uint64_t b = 0; b < p.batch; ++b) max_bn = std::max(max_bn, p.blocks_of(b));
  for (uint64_t b = 0; b < p.batch; ++b) {
    if (!check_block_indices(rt, p, b, max_bn)) return;
  }
  const Arguments a = make_arguments(p, dtype);
  for (uint64_t head = 0; head < p.num_heads; head += p.query_tile) {
    for (uint64_t start = 0; start < p.batch; start += in_core_batch) {
      const Chunk c{start, std::min(in_core_batch, p.batch - start), head,
                    std::min(p.query_tile, p.num_heads - head)};
      PTO2_SCOPE(rt) {
        const ChunkTensors t = begin_chunk(rt, p, a, c);
        for (uint64_t bn = 0; bn < max_bn; ++bn) submit_block(rt, p, a, c, t, bn, max_bn);
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
  build(rt, args, DataType::FLOAT16);
}

/// Queries and caches in bf16.
extern "C" void aicpu_orchestration_entry_bf16(PTO2Runtime* rt, uint64_t* args, int) {
  build(rt, args, DataType::BFLOAT16);
}
