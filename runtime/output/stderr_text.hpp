/// What a program says on stderr, beside its results.
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <string_view>
#include <utility>

namespace pto2::cli {

/// Without memory of the heap, unless it is long.
template <class... Arguments>
fmt::memory_buffer formatted(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
  return text;
}

/// Prints to stderr, if that takes text. It may be closed, or a full disk, and neither makes
/// another result of what is said there; fmt::print(stderr, ..) would throw.
template <class... Arguments>
void print_to_stderr(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const auto text = formatted(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Of a line or two that may not wait: writes nothing where a reader would have to make room first.
/// Beside stdio, whose lock somebody may hold who does wait. Async-signal-safe.
inline void write_to_stderr_at_once(std::string_view text) {
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  if (poll(&room, 1, 0) == 1) (void)!write(STDERR_FILENO, text.data(), text.size());
}

/// The same, formatted.
template <class... Arguments>
void print_to_stderr_at_once(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const auto text = formatted(format, std::forward<Arguments>(arguments)...);
  write_to_stderr_at_once({text.data(), text.size()});
}

}  // namespace pto2::cli
