/// The table of functions that an orchestration calls through, for one orchestrator type.
#pragma once

#include <cstdarg>

#include "runtime/include/pto_orchestration_api.h"

namespace pto2 {

/// What the PTO2Runtime* of an orchestration points to.
template <class O>
struct OrchestrationHandle : PTO2Runtime {
  explicit OrchestrationHandle(O& target) : PTO2Runtime{&table}, orchestrator(target) {}

  O& orchestrator;

  static O& of(PTO2Runtime* rt) { return static_cast<OrchestrationHandle*>(rt)->orchestrator; }

  static void log(PTO2Runtime* rt, int32_t level, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    of(rt).log_line(level, format, arguments);
    va_end(arguments);
  }

  static constexpr PTO2RuntimeOps table{
      .abi = PTO2_ORCHESTRATION_ABI,
      .submit_task = [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params,
                        uint32_t n) { of(rt).submit_task(kernel, type, params, n); },
      .scope_begin = [](PTO2Runtime* rt) { of(rt).scope_begin(); },
      .scope_end = [](PTO2Runtime* rt) { of(rt).scope_end(); },
      .orchestration_done = [](PTO2Runtime* rt) { of(rt).orchestration_done(); },
      .make_tensor =
          [](PTO2Runtime* rt, uint64_t address, const uint64_t* shapes, uint32_t ndims,
             DataType dtype) { return of(rt).make_tensor(address, shapes, ndims, dtype); },
      .view = [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
                 const uint64_t* offsets) { return of(rt).view(tensor, shapes, offsets); },
      .reshape = [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
                    uint32_t ndims) { return of(rt).reshape(tensor, shapes, ndims); },
      .transpose = [](PTO2Runtime* rt, uint64_t tensor, uint32_t x,
                      uint32_t y) { return of(rt).transpose(tensor, x, y); },
      .ndims =
          [](PTO2Runtime* rt, uint64_t tensor) {
            const auto* record = of(rt).find_tensor(tensor, "view");
            return record == nullptr ? uint32_t{0} : record->ndims;
          },
      .numel =
          [](PTO2Runtime* rt, uint64_t tensor) {
            const auto* record = of(rt).find_tensor(tensor, "numel");
            return record == nullptr ? uint64_t{0} : record->numel();
          },
      .is_contiguous =
          [](PTO2Runtime* rt, uint64_t tensor) {
            const auto* record = of(rt).find_tensor(tensor, "is_contiguous");
            return record != nullptr && record->is_contiguous();
          },
      .dump = [](PTO2Runtime* rt, uint64_t tensor) { of(rt).dump(tensor); },
      .log = &log,
      .describe = [](PTO2Runtime* rt, uint64_t tensor, char* text,
                     uint64_t capacity) { return of(rt).describe(tensor, text, capacity); },
      .allocate_cluster = [](PTO2Runtime* rt) { return of(rt).allocate_cluster(); },
      .free_cluster = [](PTO2Runtime* rt, int32_t cluster) { of(rt).free_cluster(cluster); },
      .submit_task_clustered =
          [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t n,
             int32_t cluster) { of(rt).submit_task_clustered(kernel, type, params, n, cluster); },
      .submit_block_task =
          [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t n,
             uint32_t block_dim, const int32_t* clusters) {
            of(rt).submit_block_task(kernel, type, params, n, block_dim, clusters);
          },
  };
};

}  // namespace pto2
