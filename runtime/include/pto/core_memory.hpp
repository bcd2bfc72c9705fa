/// The memory of the core that a kernel runs on: its buffers, in one region per thread.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "pto/types.hpp"

// Bytes of each buffer, those of a2a3 unless told otherwise.
#ifndef PTO_UBUF_SIZE_BYTES
#define PTO_UBUF_SIZE_BYTES (192 * 1024)
#endif
#ifndef PTO_CBUF_SIZE_BYTES
#define PTO_CBUF_SIZE_BYTES (512 * 1024)
#endif
#ifndef PTO_L0A_SIZE_BYTES
#define PTO_L0A_SIZE_BYTES (64 * 1024)
#endif
#ifndef PTO_L0B_SIZE_BYTES
#define PTO_L0B_SIZE_BYTES (64 * 1024)
#endif
#ifndef PTO_L0C_SIZE_BYTES
#define PTO_L0C_SIZE_BYTES (128 * 1024)
#endif

namespace pto::detail {

struct Buffer {
  const char* name;
  int64_t bytes;
};

/// In the order of TileType.
inline constexpr Buffer buffers[] = {
    {"UB", PTO_UBUF_SIZE_BYTES}, {"L1", PTO_CBUF_SIZE_BYTES}, {"L0A", PTO_L0A_SIZE_BYTES},
    {"L0B", PTO_L0B_SIZE_BYTES}, {"L0C", PTO_L0C_SIZE_BYTES}, {"Bias", 1024},
    {"FBuffer", 2048},
};
inline constexpr int buffer_count = sizeof buffers / sizeof buffers[0];

constexpr const Buffer& buffer_of(TileType location) {
  return buffers[static_cast<int>(location)];
}

/// Where the buffer begins in the region; of buffer_count, its end.
constexpr int64_t buffer_begin(int index) {
  int64_t begin = 0;
  for (int i = 0; i < index; ++i) begin += buffers[i].bytes;
  return begin;
}
inline constexpr int64_t core_memory_bytes = buffer_begin(buffer_count);

/// Of the kernel that this thread runs; null before the first use. Hidden: each kernel has its own.
[[gnu::visibility("hidden")]] inline thread_local std::byte* core_memory = nullptr;

/// The regions of this thread: one for each kernel that it is inside of at once. Unmaps them when
/// the thread ends.
struct CoreMemories {
  std::vector<std::byte*> all, unused;
  ~CoreMemories() {
    for (std::byte* const region : all) munmap(region, core_memory_bytes);
  }
};
[[gnu::visibility("hidden")]] inline thread_local CoreMemories core_memories;

[[gnu::noinline, gnu::cold, gnu::visibility("hidden")]] inline std::byte* map_core_memory() {
  CoreMemories& memories = core_memories;
  if (!memories.unused.empty()) {
    core_memory = memories.unused.back();
    memories.unused.pop_back();
    return core_memory;
  }
  memories.unused.reserve(memories.all.size() + 1);
  memories.all.reserve(memories.all.size() + 1);
  void* const region = mmap(nullptr, core_memory_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) throw std::bad_alloc();
  core_memory = static_cast<std::byte*>(region);
  memories.all.push_back(core_memory);
  return core_memory;
}

/// The byte at an address of a buffer.
inline std::byte* core_address(TileType location, int64_t address) {
  std::byte* const region = core_memory;
  std::byte* const begin = __builtin_expect(region == nullptr, 0) ? map_core_memory() : region;
  return begin + buffer_begin(static_cast<int>(location)) + address;
}

}  // namespace pto::detail
