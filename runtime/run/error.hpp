/// What a user is told of how a run ended.
#pragma once

#include <string>

#include "runtime/record/outcome.hpp"

namespace pto2 {

struct RunError {
  ErrorCode code = ErrorCode::ok;
  std::string message;  ///< what happened and where
  std::string hint;     ///< what to do, naming the setting
};

}  // namespace pto2
