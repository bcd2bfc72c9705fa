#include "runtime/run/error.hpp"

namespace pto2 {

const char* error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::ok:
      return "ok";
    case ErrorCode::flow_control_deadlock:
      return "flow_control_deadlock";
    case ErrorCode::heap_ring_deadlock:
      return "heap_ring_deadlock";
    case ErrorCode::dependency_pool_overflow:
      return "dependency_pool_overflow";
    case ErrorCode::tensormap_overflow:
      return "tensormap_overflow";
    case ErrorCode::bad_submission:
      return "bad_submission";
    case ErrorCode::orchestration_threw:
      return "orchestration_threw";
    case ErrorCode::not_drained:
      return "not_drained";
    case ErrorCode::cluster_deadlock:
      return "cluster_deadlock";
  }
  return "unknown";
}

}  // namespace pto2
