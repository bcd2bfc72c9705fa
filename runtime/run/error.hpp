/// Error codes of a run, and what a user is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pto2 {

enum class ErrorCode : int32_t {
  ok = 0,
  flow_control_deadlock = 1,     ///< no slot can become free
  heap_ring_deadlock = 2,        ///< no heap bytes can become free
  dependency_pool_overflow = 3,  ///< no dependency nodes can become free
  tensormap_overflow = 4,        ///< no TensorMap entries can become free
  bad_submission = 5,            ///< the orchestration made a call that cannot be served
  orchestration_threw = 6,       ///< an exception left the orchestration
  not_drained = 7,               ///< our bug: a clean run left something behind
  cluster_deadlock = 8,          ///< no cluster can become free
  pipe_overflow = 9,             ///< a kernel pushed more than a pipe holds
  pipe_underflow = 10,           ///< a kernel popped more than a pipe held
  not_a_pipe = 11,               ///< a kernel used another argument as a pipe
};

/// Name of a code in reports: "flow_control_deadlock", ..
[[nodiscard]] const char* error_name(ErrorCode code);

/// The names of the faults that an orchestration or its settings can cause: all but that of our
/// bug.
[[nodiscard]] std::vector<std::string> fault_names();

struct RunError {
  ErrorCode code = ErrorCode::ok;
  std::string message;  ///< what happened and where
  std::string hint;     ///< what to do, naming the setting
};

}  // namespace pto2
