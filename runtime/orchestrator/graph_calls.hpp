/// The calls of runs that have a graph to record, or to replay (recorded_graph.hpp).
#pragma once

#include "runtime/orchestrator/orchestration_ops.hpp"

namespace pto2 {

/// Of a run that is recorded. What is refused ends the run, and with it the recording.
template <class O>
struct RecordedCalls : DirectCalls<O> {
  using Direct = DirectCalls<O>;
  static constexpr auto kind = executors::RunKind::recorded;

  static void submit(O& o, const Request& request) {
    o.graph().tape().submit(request);
    Direct::submit(o, request);
  }
  static void submit_task(O& o, const Request& request) { submit(o, request); }
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

/// Of a run that is replayed, until a call differs. From that one on they are the orchestrator's
/// own affair.
template <class O>
struct ReplayedCalls : DirectCalls<O> {
  using Direct = DirectCalls<O>;
  static constexpr auto kind = executors::RunKind::replayed;

  /// True: the call is served by take(replay), which says so itself, or with a handle.
  template <class Take>
  static auto take(O& o, const char* call, Take&& take) -> decltype(take(*o.graph().replay())) {
    GraphReplay* const replay = o.graph().replay();
    if (replay == nullptr) [[unlikely]]
      return {};
    const auto taken = take(*replay);
    if (!taken) [[unlikely]]
      o.leave_graph(replay->difference_from(call));
    return taken;
  }
  static void take(O& o, CallKind kind) {
    (void)take(o, call_name(kind), [kind](GraphReplay& replay) { return replay.take(kind); });
  }

  [[gnu::noinline]] static void submit(O& o, const Request& request) { submit_task(o, request); }
  [[gnu::always_inline]] static void submit_task(O& o, const Request& request) {
    if (!o.submit_replayed(request)) [[unlikely]]
      submit_other(o, request.apart());
  }
  [[gnu::noinline]] static void submit_other(O& o, const Request& request) {
    (void)take(o, "submit_task", [](GraphReplay&) { return false; });
    Direct::submit(o, request);
  }
  static void scope_begin(O& o) {
    take(o, CallKind::scope_begin);
    Direct::scope_begin(o);
  }
  static void scope_end(O& o) {
    take(o, CallKind::scope_end);
    Direct::scope_end(o);
  }
  static void orchestration_done(O& o) {
    take(o, CallKind::orchestration_done);
    Direct::orchestration_done(o);
  }
  static TensorResult make(O& o, uint64_t address, const uint64_t* shape, uint32_t ndims,
                           DataType dtype) {
    const uint64_t handle = take(o, "make_tensor", [&](GraphReplay& replay) {
      return replay.take_make(address, shape, ndims, dtype);
    });
    return handle != 0 ? TensorResult{handle, nullptr}
                       : Direct::make(o, address, shape, ndims, dtype);
  }
  static TensorResult view(O& o, uint64_t tensor, const uint64_t* shape, const uint64_t* offsets) {
    const uint64_t handle = take(
        o, "view", [&](GraphReplay& replay) { return replay.take_view(tensor, shape, offsets); });
    return handle != 0 ? TensorResult{handle, nullptr} : Direct::view(o, tensor, shape, offsets);
  }
  static TensorResult reshape(O& o, uint64_t tensor, const uint64_t* shape, uint32_t ndims) {
    const uint64_t handle = take(o, "reshape", [&](GraphReplay& replay) {
      return replay.take_reshape(tensor, shape, ndims);
    });
    return handle != 0 ? TensorResult{handle, nullptr} : Direct::reshape(o, tensor, shape, ndims);
  }
  static TensorResult transpose(O& o, uint64_t tensor, uint32_t x, uint32_t y) {
    const uint64_t handle = take(
        o, "transpose", [&](GraphReplay& replay) { return replay.take_transpose(tensor, x, y); });
    return handle != 0 ? TensorResult{handle, nullptr} : Direct::transpose(o, tensor, x, y);
  }
  static const TensorRecord* find(O& o, uint64_t tensor) {
    const GraphReplay* const replay = o.graph().replay();
    return replay != nullptr ? replay->find(tensor) : Direct::find(o, tensor);
  }
  static int32_t allocate_cluster(O& o) {
    (void)take(o, "allocate_cluster", [](GraphReplay&) { return false; });
    return Direct::allocate_cluster(o);
  }
  static void free_cluster(O& o, int32_t cluster) {
    (void)take(o, "free_cluster", [](GraphReplay&) { return false; });
    Direct::free_cluster(o, cluster);
  }
};

}  // namespace pto2
