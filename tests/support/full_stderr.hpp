/// For tests of what is said when nobody listens.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace pto2::test {

/// From now on stderr is a pipe that is full, and that nobody reads. For a process of its own.
inline void fill_stderr() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  while (write(ends[1], "x", 1) == 1) {
    // until there is no room
  }
  fcntl(ends[1], F_SETFL, 0);
  dup2(ends[1], STDERR_FILENO);
}

}  // namespace pto2::test
