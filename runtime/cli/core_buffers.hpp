/// How large the buffers of the cores of a chip are. Only kernels in tile instructions need to
/// know, and they are told when they are compiled.
#pragma once

#include <cstdint>
#include <span>

namespace pto2::cli {

/// In bytes; those of a2a3 by default.
struct CoreBuffers {
  uint32_t ub = 192 << 10;
  uint32_t l1 = 512 << 10;
  uint32_t l0a = 64 << 10;
  uint32_t l0b = 64 << 10;
  uint32_t l0c = 128 << 10;

  friend bool operator==(const CoreBuffers&, const CoreBuffers&) = default;
};

struct BufferSize {
  const char* name;   ///< in a chip file
  const char* macro;  ///< of the headers of tile instructions
  uint32_t CoreBuffers::*member;
};
/// All of them.
[[nodiscard]] std::span<const BufferSize> buffer_sizes();

/// What a size may be: a multiple of the first, up to the second.
inline constexpr uint32_t buffer_unit = 1 << 10;
inline constexpr uint32_t largest_buffer = 1 << 30;

}  // namespace pto2::cli
