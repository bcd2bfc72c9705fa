/// The error of a setting that is out of range.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pto2 {

/// Thrown for a value that is out of range, or for values that do not fit each other; the text
/// names them, and says what is allowed.
class ConfigError : public std::invalid_argument {
 public:
  ConfigError(const std::string& text, std::vector<std::string> settings)
      : std::invalid_argument(text), settings_(std::move(settings)) {}

  /// The names of the settings that it is about, the likeliest culprit first.
  [[nodiscard]] const std::vector<std::string>& settings() const { return settings_; }

 private:
  std::vector<std::string> settings_;
};

/// Throws ConfigError unless `value` is in `low`..`high`.
void check_range(const char* name, uint64_t value, uint64_t low, uint64_t high);

}  // namespace pto2
