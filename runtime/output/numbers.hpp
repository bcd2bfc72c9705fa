/// Numbers on command lines and in tokens.
#pragma once

#include <cstdint>
#include <string>

namespace pto2::cli {

/// Digits alone. Throws std::invalid_argument for anything else, and for what does not fit.
[[nodiscard]] uint64_t parse_number(const std::string& text);

/// Both ends are in it.
struct NumberRange {
  uint64_t first;
  uint64_t last;

  /// How many there are; requires that not all numbers are.
  [[nodiscard]] uint64_t size() const { return last - first + 1; }
};

/// "A..B" with A <= B, or one number: what is given to `option`. Throws CliError (usage) for
/// anything else, and for the range of all numbers.
[[nodiscard]] NumberRange parse_range(const char* option, const std::string& text);

}  // namespace pto2::cli
