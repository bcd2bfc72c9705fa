/// What a kernel was compiled for, as far as whoever launches it says so.
#pragma once

#include <optional>
#include <string>

#include "runtime/chip/chip.hpp"

namespace pto2 {

struct DeclaredKernel {
  std::string name;
  std::optional<CoreType> type;  ///< cube or vector; nothing: it runs on both
  std::string where;             ///< that is said; may be empty
};

}  // namespace pto2
