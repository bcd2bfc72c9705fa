/// The most memory that this program has had.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace pto2 {

/// In bytes, of this program alone. Where /proc does not tell, what getrusage(2) does, which also
/// counts whoever started it.
inline uint64_t peak_memory() {
  uint64_t kib = 0;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace pto2
