/// Names of tasks: a ring and a number that grows without end within the ring.
#pragma once

#include <compare>
#include <cstdint>

#include "core/ids.hpp"

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

constexpr TaskId make_id(RingId ring, uint64_t local) {
  return {(uint64_t{ring.value} << task_id_ring_shift) | local};
}
constexpr RingId ring_of(TaskId id) {
  return RingId(static_cast<uint32_t>(id.value >> task_id_ring_shift));
}
constexpr uint64_t local_of(TaskId id) {
  return id.value & ((uint64_t{1} << task_id_ring_shift) - 1);
}

/// Where an entry is of an array that each ring has: the ring in bits 20 and 21, the index below.
template <class Kind>
struct RingEntry {
  uint32_t value = 0;
  friend constexpr bool operator==(const RingEntry&, const RingEntry&) = default;
};
/// A slot of a task ring.
using SlotId = RingEntry<struct SlotKind>;
/// A node of a dependency pool.
using NodeId = RingEntry<struct NodeKind>;

inline constexpr uint32_t entry_index_bits = 20;
inline constexpr uint32_t entry_bits = entry_index_bits + 2;
/// Largest window, and largest dependency pool, of one ring.
inline constexpr uint32_t max_ring_entries = uint32_t{1} << entry_index_bits;

constexpr SlotId make_slot(RingId ring, uint32_t index) {
  return {(ring.value << entry_index_bits) | index};
}
constexpr NodeId make_node(RingId ring, uint32_t index) {
  return {(ring.value << entry_index_bits) | index};
}
template <class Kind>
constexpr RingId ring_of(RingEntry<Kind> entry) {
  return RingId(entry.value >> entry_index_bits);
}
template <class Kind>
constexpr uint32_t index_of(RingEntry<Kind> entry) {
  return entry.value & (max_ring_entries - 1);
}

/// No node. Index 0 of every pool stays unused for it (the original's "entry 0 = NULL sentinel").
inline constexpr NodeId nil{0};

}  // namespace pto2
