/// The most memory that this program has had.
#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>

namespace pto2::bench {

/// Of this program alone: ru_maxrss also counts whoever started it.
inline uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

}  // namespace pto2::bench
