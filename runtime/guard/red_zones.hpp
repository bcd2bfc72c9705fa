/// Red zones: bytes in front of and behind each buffer of the heap that nobody may write.
///
///   | front | buffer 0 | behind | front | buffer 1 | behind | ..
///
/// Each buffer stays at a multiple of the output alignment. The zone in front is the last
/// `red_zone` bytes before it, the zone behind takes the rest, at least as many. All have a known
/// content, so that what a kernel writes there is seen, unless it is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/heap_layout.hpp"

namespace pto2::guard {

inline constexpr uint64_t red_zone = 64;

/// Bytes of the heap that zones take: in front of the first output of a task, and behind each one.
struct RedZones {
  uint64_t in_front = 0;
  uint64_t behind = 0;
};
inline constexpr RedZones guarded_zones{packed_output_alignment, 2 * red_zone};

/// Bytes that differ from what they should be.
struct Damage {
  uint64_t first;  ///< address
  uint64_t bytes;  ///< how many
};
/// Compares `bytes` bytes at an address with what they should be; nothing: they are equal.
[[nodiscard]] std::optional<Damage> find_damage(uint64_t address, const std::byte* expected,
                                                uint64_t bytes);

/// Writes the zones of a buffer of the heap.
void paint_zones(uint64_t buffer, uint64_t bytes);
[[nodiscard]] std::optional<Damage> damage_in_front(uint64_t buffer);
[[nodiscard]] std::optional<Damage> damage_behind(uint64_t buffer, uint64_t bytes);

}  // namespace pto2::guard
