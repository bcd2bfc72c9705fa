/// What a program says on stderr, beside its results.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <utility>

namespace pto2::cli {

/// Prints to stderr, if that takes text. It may be closed, or a full disk, and neither makes
/// another result of what is said there; fmt::print(stderr, ..) would throw.
template <class... Arguments>
void print_to_stderr(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace pto2::cli
