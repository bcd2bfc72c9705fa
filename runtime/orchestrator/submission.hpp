/// One submission under way: what the orchestration asked for, and what follows from it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/admission.hpp"
#include "runtime/chip/ai_core.hpp"
#include "runtime/chip/chip.hpp"
#include "runtime/chip/task_arguments.hpp"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/run/error.hpp"
#include "runtime/run/pipe_fault.hpp"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2 {

inline bool is_pipe(PTOParamType type) {
  return type == PTOParamType::PIPE_OUT || type == PTOParamType::PIPE_IN;
}
/// The tag of a parameter that is a pipe.
inline int32_t pipe_tag(const PTOParam& param) {
  return static_cast<int32_t>(param.tensor.id & 0xffffffffU);
}
/// A pipe is read and written, whichever side of it is named: whoever names it is ordered.
inline bool reads(PTOParamType type) {
  return type != PTOParamType::OUTPUT && type != PTOParamType::SCALAR;
}
inline bool writes(PTOParamType type) {
  return type != PTOParamType::INPUT && type != PTOParamType::SCALAR;
}

/// The cluster of a part, and the group that holds it.
struct PinnedPart {
  ClusterId cluster;
  uint32_t group;
};

/// A parameter that is a pipe.
struct PipeParam {
  uint32_t index;  ///< of the parameter
  Pipe* pipe;
};

/// One object serves all submissions of a run, so that its vectors keep their memory: a scratchpad.
/// Whoever fills a field in clears it first, so nothing is left of the former submission.
struct Submission : TaskRoute {
  // Its place in the run.
  uint64_t serial = 0;   ///< over all rings, from 1
  bool counted = false;  ///< in counting mode: it is not executed
  RingId ring;
  uint32_t depth = 0;  ///< of its scope, 0 the outermost; it changes with the scopes only

  // What was asked for, by Intake::accept(), with the base class.
  uint32_t kernel_id = 0;
  KernelEntry kernel = nullptr;
  std::span<const PTOParam> params;
  uint32_t block_dim = 0;                ///< parts of a block task; only if it is one
  std::vector<PinnedPart> pinned_parts;  ///< one of a task; only with a cluster, that of part 0

  // What the parameters ask for, by Dataflow::resolve().
  std::array<TensorRecord*, max_params> tensors;
  std::array<uint32_t, max_params> output_params;  ///< the new outputs, in order
  std::array<TaskId, max_params> former_owners;    ///< of the memory that it writes unread
  uint64_t heap_bytes = 0;
  uint32_t outputs = 0;          ///< how many output_params there are
  uint32_t rewrites = 0;         ///< how many former_owners there are
  uint32_t inserts = 0;          ///< writes that the TensorMap is told of
  std::vector<PipeParam> pipes;  ///< if it has_pipes

  // What it depends on, by Dataflow::find_producers() and find_owners().
  std::vector<TaskId> producers;
  std::vector<TaskId> owners;  ///< of buffers that it uses, if they are no producers

  RunError refusal;  ///< why it is refused, if it is

  [[nodiscard]] Demand demand() const { return {ring, heap_bytes, producers, owners}; }
};

}  // namespace pto2
