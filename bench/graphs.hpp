/// Task graphs with empty kernels, written against the orchestration API.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "runtime/include/pto_orchestration_api.h"

namespace pto2::bench {

enum class Graph {
  independent,      ///< no edges
  chain,            ///< one chain; neighbours run on cores of different types
  stencil,          ///< 64 points, each step reads three neighbours of the step before
  paged_attention,  ///< 13 tasks and 17 edges per scope, as in the published small cases
};

inline constexpr Graph graphs[] = {Graph::independent, Graph::chain, Graph::stencil,
                                   Graph::paged_attention};

inline const char* name_of(Graph graph) {
  switch (graph) {
    case Graph::independent:
      return "independent";
    case Graph::chain:
      return "chain";
    case Graph::stencil:
      return "stencil";
    case Graph::paged_attention:
      return "paged_attention";
  }
  return "";
}

/// Memory that the graphs name; no kernel touches it.
struct GraphMemory {
  static constexpr std::size_t pages = 160;
  std::unique_ptr<std::byte[]> bytes = std::make_unique<std::byte[]>(pages * 4096);
  void* page(std::size_t i) { return bytes.get() + i * 4096; }
};

/// Tasks of a scope in the graphs without a natural one.
inline constexpr int64_t tasks_per_scope = 16;

inline void submit_independent(PTO2Runtime* rt, int64_t tasks) {
  const PTOParam params[] = {make_scalar_param(1)};
  for (int64_t i = 0; i < tasks; i += tasks_per_scope) {
    PTO2_SCOPE(rt) {
      for (int64_t j = 0; j < tasks_per_scope; ++j) {
        pto2_rt_submit_task(rt, 0, j % 3 == 0 ? PTO2_WORKER_CUBE : PTO2_WORKER_VECTOR, params, 1);
      }
    }
  }
}

inline void submit_chain(PTO2Runtime* rt, int64_t tasks, GraphMemory& memory) {
  const uint64_t shape[] = {16};
  const Tensor link = make_tensor_external(memory.page(0), shape, 1);
  const PTOParam params[] = {make_inout_param(link)};
  for (int64_t i = 0; i < tasks; i += tasks_per_scope) {
    PTO2_SCOPE(rt) {
      for (int64_t j = 0; j < tasks_per_scope; ++j) {
        pto2_rt_submit_task(rt, 0, j % 2 == 0 ? PTO2_WORKER_CUBE : PTO2_WORKER_VECTOR, params, 1);
      }
    }
  }
}

inline constexpr int64_t stencil_points = 64;

inline void submit_stencil(PTO2Runtime* rt, int64_t tasks, GraphMemory& memory) {
  const uint64_t shape[] = {16};
  std::array<std::array<Tensor, stencil_points>, 2> points;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < stencil_points; ++i) {
      points[side][i] = make_tensor_external(memory.page(side * stencil_points + i), shape, 1);
    }
  }
  for (int64_t step = 0; step * stencil_points < tasks; ++step) {
    const auto& from = points[step % 2];
    const auto& to = points[(step + 1) % 2];
    PTO2_SCOPE(rt) {
      for (std::size_t i = 0; i < stencil_points; ++i) {
        const PTOParam params[] = {
            make_input_param(from[(i + stencil_points - 1) % stencil_points]),
            make_input_param(from[i]), make_input_param(from[(i + 1) % stencil_points]),
            make_output_param(to[i])};
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 4);
      }
    }
  }
}

/// External tensors of the paged-attention graph.
struct AttentionInputs {
  Tensor query, keys, values, blocks, out;
};

inline void submit_attention_block(PTO2Runtime* rt, const AttentionInputs& in, const Tensor& mi,
                                   const Tensor& li, const Tensor& oi) {
  const uint64_t shape[] = {16};
  const Tensor scores = make_tensor(shape, 1);
  const Tensor weights = make_tensor(shape, 1);
  const Tensor maximum = make_tensor(shape, 1);
  const Tensor sum = make_tensor(shape, 1);
  const Tensor update = make_tensor(shape, 1);
  const PTOParam qk[] = {make_input_param(in.query), make_input_param(in.keys),
                         make_input_param(in.blocks), make_output_param(scores)};
  const PTOParam sf[] = {make_input_param(scores), make_output_param(weights),
                         make_output_param(maximum), make_output_param(sum)};
  const PTOParam pv[] = {make_input_param(weights), make_input_param(in.values),
                         make_input_param(in.blocks), make_output_param(update)};
  const PTOParam up[] = {make_input_param(maximum), make_input_param(sum), make_input_param(update),
                         make_inout_param(mi),      make_inout_param(li),  make_inout_param(oi),
                         make_output_param(in.out)};
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, qk, 4);
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, sf, 4);
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, pv, 4);
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, up, 7);
}

inline void submit_attention(PTO2Runtime* rt, int64_t tasks, GraphMemory& memory) {
  constexpr int blocks_per_sequence = 3;
  const uint64_t shape[] = {16};
  AttentionInputs in;
  Tensor* const external[] = {&in.query, &in.keys, &in.values, &in.blocks, &in.out};
  for (std::size_t i = 0; i < std::size(external); ++i) {
    *external[i] = make_tensor_external(memory.page(i), shape, 1);
  }
  for (int64_t submitted = 0; submitted < tasks; submitted += 1 + 4 * blocks_per_sequence) {
    PTO2_SCOPE(rt) {
      const Tensor oi = make_tensor(shape, 1);
      const Tensor li = make_tensor(shape, 1);
      const Tensor mi = make_tensor(shape, 1);
      const PTOParam hub[] = {make_output_param(oi), make_output_param(li), make_output_param(mi)};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, hub, 3);
      for (int b = 0; b < blocks_per_sequence; ++b) submit_attention_block(rt, in, mi, li, oi);
    }
  }
}

/// How the blocks of a graph, calls of a kernel in `block_dim` parts, are submitted.
enum class BlockForm {
  task,       ///< one block task per call
  expansion,  ///< a task per part, which has block_dim and its number as scalars
};

inline void submit_block(PTO2Runtime* rt, BlockForm form, int32_t block_dim, const Tensor& input,
                         const Tensor& output) {
  PTOParam params[] = {make_input_param(input), make_output_param(output),
                       make_scalar_param(static_cast<uint64_t>(block_dim)), make_scalar_param(0)};
  if (form == BlockForm::task) {
    return pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, params, 2, block_dim);
  }
  for (int32_t part = 0; part < block_dim; ++part) {
    params[3].scalar = static_cast<uint64_t>(part);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 4);
  }
}

/// About `parts` parts in rows of `calls` blocks, a scope each. Each block of a row reads what all
/// parts of the one before wrote, side by side, to a buffer of the runtime.
inline void submit_blocks(PTO2Runtime* rt, BlockForm form, int64_t parts, int32_t block_dim,
                          int calls, GraphMemory& memory) {
  pto2_rt_init_tensor_pool(rt);
  const uint64_t shape[] = {16};
  const Tensor input = make_tensor_external(memory.page(0), shape, 1);
  for (int64_t i = 0; i < parts; i += int64_t{calls} * block_dim) {
    PTO2_SCOPE(rt) {
      Tensor from = input;
      for (int call = 0; call < calls; ++call) {
        const Tensor to = make_tensor(shape, 1);
        submit_block(rt, form, block_dim, from, to);
        from = to;
      }
    }
  }
}

/// Submits about `tasks` tasks, all of kernel 0.
inline void submit(PTO2Runtime* rt, Graph graph, int64_t tasks, GraphMemory& memory) {
  pto2_rt_init_tensor_pool(rt);
  switch (graph) {
    case Graph::independent:
      return submit_independent(rt, tasks);
    case Graph::chain:
      return submit_chain(rt, tasks, memory);
    case Graph::stencil:
      return submit_stencil(rt, tasks, memory);
    case Graph::paged_attention:
      return submit_attention(rt, tasks, memory);
  }
}

}  // namespace pto2::bench
