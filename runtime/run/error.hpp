/// What a user is told of how a run ended.
#pragma once

#include <string>

#include "runtime/record/outcome.hpp"

namespace pto2 {

/// In the fatal latch beside the outcomes: a thread had no memory to go on with, and nothing that
/// it has begun need be whole. It is no outcome, because the launch throws std::bad_alloc when all
/// threads have returned.
inline constexpr auto no_memory = static_cast<ErrorCode>(-1);

struct RunError {
  ErrorCode code = ErrorCode::ok;
  std::string message;  ///< what happened and where
  std::string hint;     ///< what to do, naming the setting
};

}  // namespace pto2
