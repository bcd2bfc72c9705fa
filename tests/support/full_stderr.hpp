/// For tests of what is said when nobody listens.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace pto2::test {

/// Writes to a pipe or socket until it has no room.
inline void fill(int end) {
  const int flags = fcntl(end, F_GETFL);
  fcntl(end, F_SETFL, flags | O_NONBLOCK);
  while (write(end, "x", 1) == 1) {
    // until there is none
  }
  fcntl(end, F_SETFL, flags);
}

/// From now on stderr is a pipe that is full, and that nobody reads: the end that could is
/// returned. For a process of its own.
inline int fill_stderr() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  fill(ends[1]);
  dup2(ends[1], STDERR_FILENO);
  return ends[0];
}

}  // namespace pto2::test
