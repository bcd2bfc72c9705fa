/// What a program says on stderr, beside its results.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <string_view>
#include <utility>

#include "runtime/output/descriptor.hpp"

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

/// For a pipe or a terminal: a description of its own, of which no write waits; else negative.
/// Whoever shares that of stderr would not wait either if it were changed.
inline int opened_stderr_without_waits() {
  struct stat standard = {};
  if (fstat(STDERR_FILENO, &standard) != 0) return -1;
  // In a file it would have a place of its own, and others would write over the text.
  if (!S_ISFIFO(standard.st_mode) && !S_ISCHR(standard.st_mode)) return -1;
  return open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/// Of a line or two that may not wait: writes nothing where a reader would have to make room first.
/// Beside stdio, whose lock somebody may hold who does wait. Async-signal-safe. In a socket, and
/// where there is no /proc, it waits if another writer takes the room at the same moment.
inline void write_to_stderr_at_once(std::string_view text) {
  const Descriptor own(opened_stderr_without_waits());
  const int file = own.number() >= 0 ? own.number() : STDERR_FILENO;
  pollfd room{file, POLLOUT, 0};
  if (poll(&room, 1, 0) == 1) (void)!write(file, text.data(), text.size());
}

/// The same, formatted.
template <class... Arguments>
void print_to_stderr_at_once(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const auto text = formatted(format, std::forward<Arguments>(arguments)...);
  write_to_stderr_at_once({text.data(), text.size()});
}

}  // namespace pto2::cli
