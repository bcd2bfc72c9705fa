/// Names of tasks: a ring and a number that grows without end within the ring.
#pragma once

#include <compare>
#include <cstdint>

namespace pto2 {

/// Rings of one chip. A task lives in the ring of its scope's depth: ring = min(depth, 3).
inline constexpr uint32_t max_rings = 4;

/// A task: the ring in the top two bits, the local id (0, 1, ..) in the rest.
struct TaskId {
  uint64_t value;
  friend constexpr auto operator<=>(const TaskId&, const TaskId&) = default;
};

inline constexpr uint32_t task_id_ring_shift = 62;

/// No task; differs from every id that make_id returns.
inline constexpr TaskId no_task{~uint64_t{0}};

/// Largest local id; the one above it, in ring 3, is no_task.
inline constexpr uint64_t max_task_local = (uint64_t{1} << task_id_ring_shift) - 2;

constexpr TaskId make_id(uint32_t ring, uint64_t local) {
  return {(uint64_t{ring} << task_id_ring_shift) | local};
}
constexpr uint32_t ring_of(TaskId id) {
  return static_cast<uint32_t>(id.value >> task_id_ring_shift);
}
constexpr uint64_t local_of(TaskId id) {
  return id.value & ((uint64_t{1} << task_id_ring_shift) - 1);
}

/// A slot of a task ring, or a node of a dependency pool: the ring in bits 20 and 21, the index
/// below. One type for both, because both are 22-bit places in one of four arrays.
struct Place {
  uint32_t value = 0;
  friend constexpr bool operator==(const Place&, const Place&) = default;
};

inline constexpr uint32_t place_index_bits = 20;
inline constexpr uint32_t place_bits = place_index_bits + 2;
/// Largest window, and largest dependency pool, of one ring.
inline constexpr uint32_t max_ring_entries = uint32_t{1} << place_index_bits;

constexpr Place make_place(uint32_t ring, uint32_t index) {
  return {(ring << place_index_bits) | index};
}
constexpr uint32_t ring_of(Place place) {
  return place.value >> place_index_bits;
}
constexpr uint32_t index_of(Place place) {
  return place.value & (max_ring_entries - 1);
}

/// No place. Index 0 of every pool stays unused for it (the original's "entry 0 = NULL sentinel").
inline constexpr Place nil{0};

}  // namespace pto2
