#include "runtime/run/error.hpp"

namespace pto2 {
namespace {

constexpr const char* unknown = "unknown";  ///< name of what is no code

}  // namespace

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
    case ErrorCode::pipe_overflow:
      return "pipe_overflow";
    case ErrorCode::pipe_underflow:
      return "pipe_underflow";
    case ErrorCode::not_a_pipe:
      return "not_a_pipe";
  }
  return unknown;
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (int32_t number = 1;; ++number) {
    const auto code = static_cast<ErrorCode>(number);
    const std::string name = error_name(code);
    if (name == unknown) return names;
    if (code != ErrorCode::not_drained) names.push_back(name);
  }
}

}  // namespace pto2
