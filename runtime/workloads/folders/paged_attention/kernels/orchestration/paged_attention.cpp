/// A scope for each sequence, four tasks for each of its blocks: the scores of the block's keys,
/// the weights that follow from them, the weighted sum of its values, and the running result, which
/// is divided by the sum of all weights in the end.
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "pto_orchestration_api.h"

namespace {

enum Kernel { SCORES, SOFTMAX, VALUES, UPDATE };
enum Argument {
  ARG_QUERY,
  ARG_KEY_CACHE,
  ARG_VALUE_CACHE,
  ARG_BLOCK_TABLE,
  ARG_CONTEXTS,
  ARG_OUT,
  ARG_BATCH,
  ARG_HEADS,
  ARG_HEAD_DIM,
  ARG_BLOCK_SIZE,
  ARG_TABLE_WIDTH,
  ARG_BFLOAT16,
  ARG_SCALE,
  ARG_COUNT
};

/// What all tasks share.
struct Attention {
  explicit Attention(const uint64_t* args)
      : heads(args[ARG_HEADS]),
        dim(args[ARG_HEAD_DIM]),
        block_size(args[ARG_BLOCK_SIZE]),
        scale(args[ARG_SCALE]),
        type(args[ARG_BFLOAT16] != 0 ? DataType::BFLOAT16 : DataType::FLOAT16),
        block_table(reinterpret_cast<const int32_t*>(args[ARG_BLOCK_TABLE])),
        contexts(reinterpret_cast<const int32_t*>(args[ARG_CONTEXTS])),
        table_width(args[ARG_TABLE_WIDTH]) {
    const uint64_t queries[] = {args[ARG_BATCH], heads, dim};
    const uint64_t cache[] = {args[ARG_BATCH] * table_width, block_size, dim};
    query = make_tensor_external(reinterpret_cast<void*>(args[ARG_QUERY]), queries, 3, type);
    keys = make_tensor_external(reinterpret_cast<void*>(args[ARG_KEY_CACHE]), cache, 3, type);
    values = make_tensor_external(reinterpret_cast<void*>(args[ARG_VALUE_CACHE]), cache, 3, type);
    out = make_tensor_external(reinterpret_cast<void*>(args[ARG_OUT]), queries, 3);
  }
  /// Entry `i` of a tensor of three dimensions, `rows` x dim.
  Tensor entry(const Tensor& tensor, uint64_t i, uint64_t rows) const {
    const uint64_t shape[] = {1, rows, dim}, first[] = {i, 0, 0};
    return tensor.view(shape, first);
  }
  uint64_t blocks_of(uint64_t sequence) const {
    return (static_cast<uint64_t>(contexts[sequence]) + block_size - 1) / block_size;
  }

  uint64_t heads, dim, block_size, scale;
  DataType type;  // of queries, keys and values
  const int32_t* block_table;
  const int32_t* contexts;
  uint64_t table_width;
  Tensor query, keys, values, out;
};

/// The running state of a sequence.
struct State {
  Tensor query, out;
  Tensor maxima, sums, result;
};

void submit_block(PTO2Runtime* rt, const Attention& a, const State& s, uint64_t sequence,
                  uint64_t number) {
  const auto block = static_cast<uint64_t>(a.block_table[sequence * a.table_width + number]);
  const uint64_t context = static_cast<uint64_t>(a.contexts[sequence]);
  const uint64_t valid = std::min(a.block_size, context - number * a.block_size);
  const uint64_t score_shape[] = {a.heads, a.block_size}, sum_shape[] = {a.heads, a.dim};
  const Tensor scores = make_tensor(score_shape, 2);
  const Tensor weights = make_tensor(score_shape, 2, a.type);
  const Tensor maxima = make_tensor(score_shape, 1), sums = make_tensor(score_shape, 1);
  const Tensor weighted = make_tensor(sum_shape, 2);

  const PTOParam of_scores[] = {make_input_param(s.query),
                                make_input_param(a.entry(a.keys, block, a.block_size)),
                                make_output_param(scores)};
  pto2_rt_submit_task(rt, SCORES, PTO2_WORKER_CUBE, of_scores, std::size(of_scores));

  const PTOParam of_softmax[] = {make_input_param(scores),   make_output_param(weights),
                                 make_output_param(maxima),  make_output_param(sums),
                                 make_scalar_param(a.scale), make_scalar_param(valid)};
  pto2_rt_submit_task(rt, SOFTMAX, PTO2_WORKER_VECTOR, of_softmax, std::size(of_softmax));

  const PTOParam of_values[] = {make_input_param(weights),
                                make_input_param(a.entry(a.values, block, a.block_size)),
                                make_output_param(weighted)};
  pto2_rt_submit_task(rt, VALUES, PTO2_WORKER_CUBE, of_values, std::size(of_values));

  // The first block makes the running state, the last one writes `out`.
  const auto state = number == 0 ? make_output_param : make_inout_param;
  const PTOParam of_update[] = {make_input_param(maxima),
                                make_input_param(sums),
                                make_input_param(weighted),
                                state(s.maxima),
                                state(s.sums),
                                state(s.result),
                                make_inout_param(s.out),
                                make_scalar_param(number == 0),
                                make_scalar_param(number + 1 == a.blocks_of(sequence))};
  pto2_rt_submit_task(rt, UPDATE, PTO2_WORKER_VECTOR, of_update, std::size(of_update));
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {ARG_COUNT};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const Attention a(args);
  const uint64_t shape[] = {a.heads, a.dim};
  for (uint64_t sequence = 0; sequence < args[ARG_BATCH]; ++sequence) {
    PTO2_SCOPE(rt) {
      const State state{a.entry(a.query, sequence, a.heads), a.entry(a.out, sequence, a.heads),
                        make_tensor(shape, 1), make_tensor(shape, 1), make_tensor(shape, 2)};
      for (uint64_t block = 0; block < a.blocks_of(sequence); ++block) {
        submit_block(rt, a, state, sequence, block);
      }
    }
  }
}
