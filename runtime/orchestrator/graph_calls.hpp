/// The calls of runs that have a graph to record, or to replay (recorded_graph.hpp).
#pragma once

#include "runtime/orchestrator/orchestration_ops.hpp"

namespace pto2 {

/// Of a run that is recorded. What is refused ends the run, and with it the recording.
template <class O>
struct RecordedCalls : DirectCalls<O> {
  using Direct = DirectCalls<O>;

  static void submit(O& o, const Request& request) {
    o.graph().tape().submit(request);
    Direct::submit(o, request);
  }
  static void scope_begin(O& o) {
    o.graph().tape().note(CallKind::scope_begin);
    Direct::scope_begin(o);
  }
  static void scope_end(O& o) {
    o.graph().tape().note(CallKind::scope_end);
    Direct::scope_end(o);
  }
  static void orchestration_done(O& o) {
    o.graph().tape().note(CallKind::orchestration_done);
    Direct::orchestration_done(o);
  }
  static TensorResult make(O& o, uint64_t address, const uint64_t* shape, uint32_t ndims,
                           DataType dtype) {
    const TensorResult result = Direct::make(o, address, shape, ndims, dtype);
    if (result.ok()) o.graph().tape().make(address, shape, ndims, dtype);
    return result;
  }
  static TensorResult view(O& o, uint64_t tensor, const uint64_t* shape, const uint64_t* offsets) {
    const TensorResult result = Direct::view(o, tensor, shape, offsets);
    if (result.ok()) o.graph().tape().view(tensor, shape, offsets, Direct::find(o, tensor)->ndims);
    return result;
  }
  static TensorResult reshape(O& o, uint64_t tensor, const uint64_t* shape, uint32_t ndims) {
    const TensorResult result = Direct::reshape(o, tensor, shape, ndims);
    if (result.ok()) o.graph().tape().reshape(tensor, shape, ndims);
    return result;
  }
  static TensorResult transpose(O& o, uint64_t tensor, uint32_t x, uint32_t y) {
    const TensorResult result = Direct::transpose(o, tensor, x, y);
    if (result.ok()) o.graph().tape().transpose(tensor, x, y);
    return result;
  }
  /// Which cluster that is depends on who has run how fast.
  static int32_t allocate_cluster(O& o) {
    o.graph().tape().give_up("it allocates clusters");
    return Direct::allocate_cluster(o);
  }
};

/// Of a run that is replayed, until a call differs. Then it is the orchestrator's own affair again,
/// as are all that follow.
template <class O>
struct ReplayedCalls : DirectCalls<O> {
  using Direct = DirectCalls<O>;

  static void leave(O& o, const char* call) {
    o.leave_graph(o.graph().replay()->difference_from(call));
  }
  static void scope_begin(O& o) {
    if (!o.graph().replay()->take(CallKind::scope_begin)) leave(o, "scope_begin");
    Direct::scope_begin(o);
  }
  static void scope_end(O& o) {
    if (!o.graph().replay()->take(CallKind::scope_end)) leave(o, "scope_end");
    Direct::scope_end(o);
  }
  static void orchestration_done(O& o) {
    if (!o.graph().replay()->take(CallKind::orchestration_done)) leave(o, "orchestration_done");
    Direct::orchestration_done(o);
  }
  static TensorResult make(O& o, uint64_t address, const uint64_t* shape, uint32_t ndims,
                           DataType dtype) {
    const uint64_t handle = o.graph().replay()->take_make(address, shape, ndims, dtype);
    if (handle != 0) [[likely]]
      return {handle, nullptr};
    leave(o, "make_tensor");
    return Direct::make(o, address, shape, ndims, dtype);
  }
  static TensorResult view(O& o, uint64_t tensor, const uint64_t* shape, const uint64_t* offsets) {
    const uint64_t handle = o.graph().replay()->take_view(tensor, shape, offsets);
    if (handle != 0) [[likely]]
      return {handle, nullptr};
    leave(o, "view");
    return Direct::view(o, tensor, shape, offsets);
  }
  static TensorResult reshape(O& o, uint64_t tensor, const uint64_t* shape, uint32_t ndims) {
    const uint64_t handle = o.graph().replay()->take_reshape(tensor, shape, ndims);
    if (handle != 0) [[likely]]
      return {handle, nullptr};
    leave(o, "reshape");
    return Direct::reshape(o, tensor, shape, ndims);
  }
  static TensorResult transpose(O& o, uint64_t tensor, uint32_t x, uint32_t y) {
    const uint64_t handle = o.graph().replay()->take_transpose(tensor, x, y);
    if (handle != 0) [[likely]]
      return {handle, nullptr};
    leave(o, "transpose");
    return Direct::transpose(o, tensor, x, y);
  }
  static const TensorRecord* find(O& o, uint64_t tensor) {
    return o.graph().replay()->find(tensor);
  }
  static int32_t allocate_cluster(O& o) {
    leave(o, "allocate_cluster");
    return Direct::allocate_cluster(o);
  }
  static void free_cluster(O& o, int32_t cluster) {
    leave(o, "free_cluster");
    Direct::free_cluster(o, cluster);
  }
};

}  // namespace pto2
