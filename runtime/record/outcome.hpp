/// How a run can end, in one table. Whoever ends a run, names its end, judges or documents it, asks
/// the table.
///
/// A new outcome is a name in ErrorCode and a row of outcome_table().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/record/event.hpp"

namespace pto2 {

enum class ErrorCode : int32_t {
  ok,
  flow_control_deadlock,
  heap_ring_deadlock,
  dependency_pool_overflow,
  tensormap_overflow,
  bad_submission,
  orchestration_threw,
  not_drained,
  cluster_deadlock,
  pipe_overflow,
  pipe_underflow,
  not_a_pipe,
  kernel_threw,
  crashed,
  scheduler_timeout,
  orchestration_failed,
  interrupted,
  core_lost,
  kernel_overran,
  bad_output,
  orchestration_timeout,
  wrong_thread,
  exited,
  runtime_crashed,
  killed,
};

/// Who has to do with it that a run ends so.
enum class Cause : uint8_t {
  none,      ///< all is well
  deadlock,  ///< the orchestration and the sizes do not fit: a resource that nobody gives back
  call,      ///< of the orchestration, or its own end
  kernel,    ///< found by who runs it, not by the orchestrator
  runtime,   ///< a bug of ours
  caller,    ///< who launched the run has ended it
  chip,      ///< a part of it failed, as its scheduler found
};

struct OutcomeRow {
  ErrorCode code;
  const char* name;  ///< in reports and files
  Cause cause;
  std::optional<Resource> resource;  ///< of a deadlock: what lacks
  const char* meaning;               ///< for the documentation
  const char* hint;                  ///< what to do; a run that knows more says more
  bool ends_early = true;            ///< tasks that were submitted need not have run
  bool leaves_trace = true;          ///< the process of the run outlives it
};

/// All of them, by code.
[[nodiscard]] std::span<const OutcomeRow> outcome_table();
[[nodiscard]] const OutcomeRow& row_of(ErrorCode code);
/// Null: no run ends so.
[[nodiscard]] const OutcomeRow* outcome_called(std::string_view name);

/// Name of a code in reports: "flow_control_deadlock", ..
[[nodiscard]] inline const char* error_name(ErrorCode code) {
  return row_of(code).name;
}
/// That of a run in which nobody will give back what is needed of `resource`.
[[nodiscard]] ErrorCode deadlock_code(Resource resource);
/// True for what kernels do, or cores, and who runs kernels finds.
[[nodiscard]] inline bool is_kernel_fault(ErrorCode code) {
  return row_of(code).cause == Cause::kernel || row_of(code).cause == Cause::chip;
}

/// The names of the faults that an orchestration, its kernels or its settings can cause.
[[nodiscard]] std::vector<std::string> fault_names();

}  // namespace pto2
