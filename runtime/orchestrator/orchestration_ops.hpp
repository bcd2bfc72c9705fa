/// The tables of functions that an orchestration calls through.
///
/// A run that is stopped has a table of its own, whose functions do nothing, so that none of the
/// others asks whether it has. The orchestrator exchanges them, inside of a call; the next one
/// finds the new table.
#pragma once

#include <fmt/core.h>

#include <functional>

#include "runtime/include/pto_orchestration_api.h"
#include "runtime/orchestrator/request.hpp"

namespace pto2 {

/// Receives log lines; `level` is a PTO2LogLevel.
using LogSink = std::function<void(int32_t level, const char* text)>;

/// What the PTO2Runtime* of an orchestration points to.
struct OrchestrationRuntime : PTO2Runtime {
  OrchestrationRuntime(const PTO2RuntimeOps& table, LogSink sink)
      : PTO2Runtime{&table}, log_sink(std::move(sink)) {}

  /// From the next call on nothing is done.
  void stop_calls();

  const LogSink log_sink;  ///< may be empty
};

/// In both tables. Requires an OrchestrationRuntime.
[[gnu::format(printf, 3, 4)]] void log_line(PTO2Runtime* rt, int32_t level, const char* format,
                                            ...);

/// Copies as much of the text as fits, and the zero that ends it; returns its whole length.
uint64_t copy_text(const std::string& line, char* text, uint64_t capacity);

/// Of an orchestration that gives up; `text` may be null.
[[nodiscard]] RunError error_of_giving_up(int32_t code, const char* text);

/// The table of orchestrators of type O, which are OrchestrationRuntimes. What lacks memory gives
/// the run up by itself: the orchestration may know no exceptions, or catch all that there are.
template <class O>
struct OrchestrationOps {
  static O& of(PTO2Runtime* rt) { return static_cast<O&>(*rt); }

  static void submit(PTO2Runtime* rt, const Request& request) {
    of(rt).with_memory([&] { of(rt).submit(request); });
  }

  template <class Make>
  static uint64_t handle_of(PTO2Runtime* rt, Make&& make, const char* call) {
    return of(rt).with_memory([&] {
      const TensorResult result = make();
      if (!result.ok()) of(rt).fail({ErrorCode::bad_submission, result.error, call});
      return result.handle;
    });
  }

  static const TensorRecord* find(PTO2Runtime* rt, uint64_t tensor, const char* use) {
    return of(rt).with_memory([&] {
      TensorTable& tensors = of(rt).tensors();
      const TensorRecord* record = tensors.find(tensor);
      if (record == nullptr) {
        of(rt).fail({ErrorCode::bad_submission,
                     fmt::format("{}: {}", use, tensors.describe(tensor)),
                     "use a tensor only inside the scope that made it"});
      }
      return record;
    });
  }

  static constexpr PTO2RuntimeOps table{
      .abi = PTO2_ORCHESTRATION_ABI,
      .submit_task =
          [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t n) {
            submit(rt, {kernel, type, {params, n}});
          },
      .scope_begin = [](PTO2Runtime* rt) { of(rt).with_memory([&] { of(rt).scope_begin(); }); },
      .scope_end = [](PTO2Runtime* rt) { of(rt).with_memory([&] { of(rt).scope_end(); }); },
      .orchestration_done = [](PTO2Runtime* rt) { of(rt).orchestration_done(); },
      .make_tensor =
          [](PTO2Runtime* rt, uint64_t address, const uint64_t* shapes, uint32_t ndims,
             DataType dtype) {
            return handle_of(
                rt, [&] { return of(rt).tensors().make(address, shapes, ndims, dtype); },
                "check the call of make_tensor");
          },
      .view =
          [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes, const uint64_t* offsets) {
            return handle_of(
                rt, [&] { return of(rt).tensors().view(tensor, shapes, offsets); },
                "check the call of view");
          },
      .reshape =
          [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes, uint32_t ndims) {
            return handle_of(
                rt, [&] { return of(rt).tensors().reshape(tensor, shapes, ndims); },
                "check the call of reshape");
          },
      .transpose =
          [](PTO2Runtime* rt, uint64_t tensor, uint32_t x, uint32_t y) {
            return handle_of(
                rt, [&] { return of(rt).tensors().transpose(tensor, x, y); },
                "check the call of transpose");
          },
      .ndims =
          [](PTO2Runtime* rt, uint64_t tensor) {
            const auto* record = find(rt, tensor, "view");
            return record == nullptr ? uint32_t{0} : record->ndims;
          },
      .numel =
          [](PTO2Runtime* rt, uint64_t tensor) {
            const auto* record = find(rt, tensor, "numel");
            return record == nullptr ? uint64_t{0} : record->numel();
          },
      .is_contiguous =
          [](PTO2Runtime* rt, uint64_t tensor) {
            const auto* record = find(rt, tensor, "is_contiguous");
            return record != nullptr && record->is_contiguous();
          },
      .dump =
          [](PTO2Runtime* rt, uint64_t tensor) {
            const LogSink& sink = of(rt).log_sink;
            of(rt).with_memory([&] {
              if (sink) sink(PTO2_LOG_INFO, of(rt).tensors().describe(tensor).c_str());
            });
          },
      .log = &log_line,
      .describe =
          [](PTO2Runtime* rt, uint64_t tensor, char* text, uint64_t capacity) {
            return of(rt).with_memory(
                [&] { return copy_text(of(rt).tensors().describe(tensor), text, capacity); });
          },
      .allocate_cluster =
          [](PTO2Runtime* rt) {
            return of(rt).with_memory([&] { return of(rt).allocate_cluster(); });
          },
      .free_cluster =
          [](PTO2Runtime* rt, int32_t cluster) {
            of(rt).with_memory([&] { of(rt).free_cluster(cluster); });
          },
      .submit_task_clustered =
          [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t n,
             int32_t cluster) {
            if (cluster == any_cluster) return submit(rt, {kernel, type, {params, n}});
            submit(rt, {kernel, type, {params, n}, Where{.clusters = {&cluster, 1}}});
          },
      .submit_block_task =
          [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t n,
             uint32_t block_dim, const int32_t* clusters) {
            const std::size_t pinned = clusters == nullptr ? 0 : block_dim;
            submit(rt, {kernel, type, {params, n}, Where{true, block_dim, {clusters, pinned}}});
          },
      .fail =
          [](PTO2Runtime* rt, int32_t code, const char* text) {
            of(rt).with_memory([&] { of(rt).fail(error_of_giving_up(code, text)); });
          },
  };
};

}  // namespace pto2
