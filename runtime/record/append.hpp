/// Formatted text at the end of a string.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace pto2 {

template <class... Values>
void append(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

}  // namespace pto2
