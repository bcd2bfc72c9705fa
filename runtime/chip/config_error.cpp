#include "runtime/chip/config_error.hpp"

#include <fmt/core.h>

namespace pto2 {

void check_range(const char* name, uint64_t value, uint64_t low, uint64_t high) {
  if (value < low || value > high) {
    throw ConfigError(fmt::format("{} is {}, but must be in {}..{}", name, value, low, high),
                      {name});
  }
}

}  // namespace pto2
