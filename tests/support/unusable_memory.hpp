/// Addresses that nobody may touch, and nobody else can come to have.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <stdexcept>

namespace pto2::test {

/// Whether `place` is taken, and may not be read: asked by system calls, which refuse what is not
/// there. A place that is free is taken by asking.
inline bool is_unusable(char* place) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  char* const begin = place - reinterpret_cast<uintptr_t>(place) % page;
  void* const mapped = mmap(begin, page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != MAP_FAILED || errno != EEXIST) return false;
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const bool readable = ::write(ends[1], place, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return !readable;
}

}  // namespace pto2::test
