/// The tables of functions that an orchestration calls through.
///
/// A run that is stopped shuts out calls, so that each comes to what it does where it is not
/// entered, and none asks whether the run has failed: they do nothing, but for a few last lines of
/// the log. The orchestrator stops them, inside of a call, and so does the watch of a run that has
/// failed without a call of the orchestration's noticing. A table that was kept from another run of
/// the executor serves this one, too: if the runs are of two kinds, through the table of this one.
#pragma once

#include <fmt/core.h>

#include <cstdarg>
#include <functional>
#include <utility>

#include "runtime/executors/runtime_handle.hpp"
#include "runtime/orchestrator/request.hpp"

namespace pto2 {

/// Receives log lines; `level` is a PTO2LogLevel.
using LogSink = std::function<void(int32_t level, const char* text)>;

/// What serves the calls of an orchestration.
struct OrchestrationRuntime {
  explicit OrchestrationRuntime(LogSink sink) : log_sink(std::move(sink)) {}

  const LogSink log_sink;      ///< may be empty
  uint32_t last_lines = 1000;  ///< that are logged when calls are stopped
};

/// In a call of the orchestration's: a line of it.
[[gnu::format(printf, 3, 0)]] void log_line(const LogSink& sink, int32_t level, const char* format,
                                            va_list arguments);
/// Of a call that was not entered, which may be one behind stop_calls(): a line of it, as long as
/// there are lines left.
[[gnu::format(printf, 3, 0)]] void log_last_line(executors::RuntimeHandle& handle, int32_t level,
                                                 const char* format, va_list arguments);

/// Copies as much of the text as fits, and the zero that ends it; returns its whole length.
uint64_t copy_text(const std::string& line, char* text, uint64_t capacity);

/// Of an orchestration that gives up; `text` may be null.
[[nodiscard]] RunError error_of_giving_up(int32_t code, const char* text);

/// Of a call of this function on another thread than the orchestration's.
[[nodiscard]] RunError error_of_misplaced(const char* call);
/// Of a call of this function by the image's configuration.
[[nodiscard]] RunError error_of_early(const char* call);
/// Of code that was left, which `what`, such as "x has not returned".
[[nodiscard]] RunError error_of_timeout(const char* what, const executors::LeftBehind& left);
/// In the handler of an exception that has left `function` of the orchestration's image; one that
/// was left because it did not call the runtime has an exception, too.
[[nodiscard]] RunError error_of_exception(const char* function);

/// What the functions of the table come to: calls of the orchestrator itself.
template <class O>
struct DirectCalls {
  static constexpr auto kind = executors::RunKind::plain;

  [[gnu::noinline]] static void submit(O& o, const Request& request) { o.submit(request); }
  /// Of a task that may run on any core, as most tasks are: in one function with its caller.
  [[gnu::always_inline]] static void submit_task(O& o, const Request& request) {
    o.submit(request);
  }
  static void scope_begin(O& o) { o.scope_begin(); }
  static void scope_end(O& o) { o.scope_end(); }
  static void orchestration_done(O& o) { o.orchestration_done(); }
  static TensorResult make(O& o, uint64_t address, const uint64_t* shape, uint32_t ndims,
                           DataType dtype) {
    return o.dataflow().tensors().make(address, shape, ndims, dtype);
  }
  static TensorResult view(O& o, uint64_t tensor, const uint64_t* shape, const uint64_t* offsets) {
    return o.dataflow().tensors().view(tensor, shape, offsets);
  }
  static TensorResult reshape(O& o, uint64_t tensor, const uint64_t* shape, uint32_t ndims) {
    return o.dataflow().tensors().reshape(tensor, shape, ndims);
  }
  static TensorResult transpose(O& o, uint64_t tensor, uint32_t x, uint32_t y) {
    return o.dataflow().tensors().transpose(tensor, x, y);
  }
  static const TensorRecord* find(O& o, uint64_t tensor) {
    return o.dataflow().tensors().find(tensor);
  }
  static int32_t allocate_cluster(O& o) { return o.allocate_cluster(); }
  static void free_cluster(O& o, int32_t cluster) { o.free_cluster(cluster); }
};

/// Of a call that was not entered: serves it if it is the orchestration's all the same, which has
/// kept the table of a run of another kind. Calls that are stopped come to nothing.
template <auto function, class... A>
[[gnu::noinline, gnu::cold]] auto serve_otherwise(PTO2Runtime* rt, const char* name,
                                                  A... arguments) {
  using Result = decltype((rt->ops->*function)(rt, arguments...));
  auto& handle = static_cast<executors::RuntimeHandle&>(*rt);
  const bool is_served = handle.is_from_orchestration(name) && !handle.are_calls_stopped();
  return is_served ? (rt->ops->*function)(rt, arguments...) : Result();
}

/// The table of orchestrators of type O, which are the targets of RuntimeHandles. What lacks memory
/// gives the run up by itself: the orchestration may know no exceptions, or catch all that there
/// are.
template <class O, class Calls = DirectCalls<O>>
struct OrchestrationOps {
  static constexpr executors::RunKind kind = Calls::kind;

  /// Calls step(orchestrator), unless the caller is not the orchestration: nothing then. In a run
  /// of another kind its own function is called with these arguments instead.
  template <auto function, class Step, class... A>
  static auto serve(PTO2Runtime* rt, const char* name, Step&& step, A... arguments)
      -> decltype(step(std::declval<O&>())) {
    auto& handle = static_cast<executors::RuntimeHandle&>(*rt);
    if (!handle.enter<kind>()) [[unlikely]]
      return serve_otherwise<function>(rt, name, arguments...);
    const executors::RuntimeHandle::CallOf<kind> call(&handle);
    O& orchestrator = static_cast<O&>(*handle.target());
    return orchestrator.with_memory([&] { return step(orchestrator); });
  }

  /// Of what a function that makes tensors comes to.
  static uint64_t handle_of(O& o, const char* name, TensorResult result) {
    if (!result.ok()) [[unlikely]]
      refuse(o, name, result.error);
    return result.handle;
  }
  [[gnu::noinline]] static void refuse(O& o, const char* name, const char* error) {
    o.fail({ErrorCode::bad_submission, error, fmt::format("check the call of {}", name)});
  }

  static const TensorRecord* find(O& o, uint64_t tensor, const char* use) {
    const TensorRecord* record = Calls::find(o, tensor);
    if (record == nullptr) {
      o.fail({ErrorCode::bad_submission, fmt::format("{}: {}", use, describe(tensor, record)),
              "use a tensor only inside the scope that made it"});
    }
    return record;
  }

  [[gnu::format(printf, 3, 4)]] static void log(PTO2Runtime* rt, int32_t level, const char* format,
                                                ...) {
    auto& handle = static_cast<executors::RuntimeHandle&>(*rt);
    va_list arguments;
    va_start(arguments, format);
    if (handle.code().enter()) {
      const executors::RuntimeHandle::Call call(&handle);
      O& orchestrator = static_cast<O&>(*handle.target());
      orchestrator.template with_memory<true>(
          [&] { log_line(orchestrator.log_sink, level, format, arguments); });
    } else {
      log_last_line(handle, level, format, arguments);
    }
    va_end(arguments);
  }

  static constexpr PTO2RuntimeOps table{
      .abi = PTO2_ORCHESTRATION_ABI,
      .submit_task =
          [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t n) {
            serve<&PTO2RuntimeOps::submit_task>(
                rt, "submit_task",
                [&](O& o) {
                  Calls::submit_task(o, {kernel, type, {params, n}});
                },
                kernel, type, params, n);
          },
      .scope_begin =
          [](PTO2Runtime* rt) {
            serve<&PTO2RuntimeOps::scope_begin>(rt, "scope_begin",
                                                [](O& o) { Calls::scope_begin(o); });
          },
      .scope_end =
          [](PTO2Runtime* rt) {
            serve<&PTO2RuntimeOps::scope_end>(rt, "scope_end", [](O& o) { Calls::scope_end(o); });
          },
      .orchestration_done =
          [](PTO2Runtime* rt) {
            serve<&PTO2RuntimeOps::orchestration_done>(rt, "orchestration_done",
                                                       [](O& o) { Calls::orchestration_done(o); });
          },
      .make_tensor =
          [](PTO2Runtime* rt, uint64_t address, const uint64_t* shapes, uint32_t ndims,
             DataType dtype) {
            return serve<&PTO2RuntimeOps::make_tensor>(
                rt, "make_tensor",
                [&](O& o) {
                  return handle_of(o, "make_tensor", Calls::make(o, address, shapes, ndims, dtype));
                },
                address, shapes, ndims, dtype);
          },
      .view =
          [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes, const uint64_t* offsets) {
            return serve<&PTO2RuntimeOps::view>(
                rt, "view",
                [&](O& o) { return handle_of(o, "view", Calls::view(o, tensor, shapes, offsets)); },
                tensor, shapes, offsets);
          },
      .reshape =
          [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes, uint32_t ndims) {
            return serve<&PTO2RuntimeOps::reshape>(
                rt, "reshape",
                [&](O& o) {
                  return handle_of(o, "reshape", Calls::reshape(o, tensor, shapes, ndims));
                },
                tensor, shapes, ndims);
          },
      .transpose =
          [](PTO2Runtime* rt, uint64_t tensor, uint32_t x, uint32_t y) {
            return serve<&PTO2RuntimeOps::transpose>(
                rt, "transpose",
                [&](O& o) { return handle_of(o, "transpose", Calls::transpose(o, tensor, x, y)); },
                tensor, x, y);
          },
      .ndims =
          [](PTO2Runtime* rt, uint64_t tensor) {
            return serve<&PTO2RuntimeOps::ndims>(
                rt, "ndims",
                [&](O& o) {
                  const auto* record = find(o, tensor, "view");
                  return record == nullptr ? uint32_t{0} : record->ndims;
                },
                tensor);
          },
      .numel =
          [](PTO2Runtime* rt, uint64_t tensor) {
            return serve<&PTO2RuntimeOps::numel>(
                rt, "numel",
                [&](O& o) {
                  const auto* record = find(o, tensor, "numel");
                  return record == nullptr ? uint64_t{0} : record->numel();
                },
                tensor);
          },
      .is_contiguous =
          [](PTO2Runtime* rt, uint64_t tensor) {
            return serve<&PTO2RuntimeOps::is_contiguous>(
                rt, "is_contiguous",
                [&](O& o) {
                  const auto* record = find(o, tensor, "is_contiguous");
                  return record != nullptr && record->is_contiguous();
                },
                tensor);
          },
      .dump =
          [](PTO2Runtime* rt, uint64_t tensor) {
            serve<&PTO2RuntimeOps::dump>(
                rt, "dump",
                [&](O& o) {
                  if (o.log_sink)
                    o.log_sink(PTO2_LOG_INFO, describe(tensor, Calls::find(o, tensor)).c_str());
                },
                tensor);
          },
      .log = &log,
      .describe =
          [](PTO2Runtime* rt, uint64_t tensor, char* text, uint64_t capacity) {
            copy_text({}, text, capacity);  // what it is if nothing is done
            return serve<&PTO2RuntimeOps::describe>(
                rt, "describe",
                [&](O& o) {
                  return copy_text(describe(tensor, Calls::find(o, tensor)), text, capacity);
                },
                tensor, text, capacity);
          },
      .allocate_cluster =
          [](PTO2Runtime* rt) {
            return serve<&PTO2RuntimeOps::allocate_cluster>(
                rt, "allocate_cluster", [](O& o) { return Calls::allocate_cluster(o); });
          },
      .free_cluster =
          [](PTO2Runtime* rt, int32_t cluster) {
            serve<&PTO2RuntimeOps::free_cluster>(
                rt, "free_cluster", [&](O& o) { Calls::free_cluster(o, cluster); }, cluster);
          },
      .submit_task_clustered =
          [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t n,
             int32_t cluster) {
            serve<&PTO2RuntimeOps::submit_task_clustered>(
                rt, "submit_task_clustered",
                [&](O& o) {
                  if (cluster == any_cluster) return Calls::submit(o, {kernel, type, {params, n}});
                  const Where where{.clusters = {&cluster, 1}};
                  Calls::submit(o, {kernel, type, {params, n}, &where});
                },
                kernel, type, params, n, cluster);
          },
      .submit_block_task =
          [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t n,
             uint32_t block_dim, const int32_t* clusters) {
            serve<&PTO2RuntimeOps::submit_block_task>(
                rt, "submit_block_task",
                [&](O& o) {
                  const std::size_t pinned = clusters == nullptr ? 0 : block_dim;
                  const Where where{true, block_dim, {clusters, pinned}};
                  Calls::submit(o, {kernel, type, {params, n}, &where});
                },
                kernel, type, params, n, block_dim, clusters);
          },
      .fail =
          [](PTO2Runtime* rt, int32_t code, const char* text) {
            serve<&PTO2RuntimeOps::fail>(
                rt, "fail", [&](O& o) { o.fail(error_of_giving_up(code, text)); }, code, text);
          },
  };
};

}  // namespace pto2
