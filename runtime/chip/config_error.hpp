/// The error of a setting that is out of range.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace pto2 {

/// Thrown for a value that is out of range; the text names it, and says what is allowed.
class ConfigError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Throws ConfigError unless `value` is in `low`..`high`.
void check_range(const char* name, uint64_t value, uint64_t low, uint64_t high);

}  // namespace pto2
