#include "runtime/cli/setting_values.hpp"

#include <charconv>
#include <cmath>

namespace pto2::cli {

std::optional<uint64_t> parse_count(std::string_view text) {
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || stop != text.end()) return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_size(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'K':
      case 'k':
        shift = 10;
        break;
      case 'M':
      case 'm':
        shift = 20;
        break;
      case 'G':
      case 'g':
        shift = 30;
        break;
      default:
        break;
    }
  }
  if (shift != 0) text.remove_suffix(1);
  const std::optional<uint64_t> count = parse_count(text);
  if (!count || *count > UINT64_MAX >> shift) return std::nullopt;
  return *count << shift;
}

std::string size_text(uint64_t value) {
  constexpr const char* suffixes[] = {"", "K", "M", "G"};
  int suffix = 0;
  while (suffix < 3 && value >= 1024 && value % 1024 == 0) {
    value /= 1024;
    ++suffix;
  }
  return std::to_string(value) + suffixes[suffix];
}

}  // namespace pto2::cli
