#include "runtime/output/numbers.hpp"

#include <fmt/core.h>

#include <charconv>
#include <stdexcept>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

uint64_t parse_number(const std::string& text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || last != end) {
    throw std::invalid_argument("'" + text + "' is no number");
  }
  return number;
}

NumberRange parse_range(const char* option, const std::string& text) {
  const std::size_t dots = text.find("..");
  try {
    const NumberRange range{parse_number(text.substr(0, dots)),
                            parse_number(dots == std::string::npos ? text : text.substr(dots + 2))};
    const bool whole = range.first == 0 && range.last == ~uint64_t{0};
    if (range.first <= range.last && !whole) return range;
  } catch (const std::invalid_argument&) {
  }
  throw CliError(exit_usage, fmt::format("{} is A..B with A <= B, both included, or one number, "
                                         "not '{}'",
                                         option, text));
}

}  // namespace pto2::cli
