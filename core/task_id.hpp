/// Identity of a task: which of the rings it lives in and its number there.
///
/// Tasks of one ring are numbered 0, 1, 2, .. in order of submission and never again in one run;
/// slot = local number modulo the window. Numbers of different rings say nothing about each other.
#pragma once

#include <cassert>
#include <cstdint>

namespace pto2 {

/// Most instances of the rings; tasks in scopes of depth 3 and deeper share the last one.
inline constexpr uint32_t max_rings = 4;

/// The top two bits are the ring, the other 62 the number in it.
struct TaskId {
  uint64_t value;

  friend constexpr bool operator==(TaskId, TaskId) = default;
};

inline constexpr uint32_t task_local_bits = 62;
inline constexpr uint64_t max_task_local = (uint64_t{1} << task_local_bits) - 2;

/// No task; differs from every id that make_id returns.
inline constexpr TaskId no_task{~uint64_t{0}};

constexpr TaskId make_id(uint32_t ring, uint64_t local) {
  assert(ring < max_rings && local <= max_task_local);
  return {uint64_t{ring} << task_local_bits | local};
}

constexpr uint32_t ring_of(TaskId id) {
  return static_cast<uint32_t>(id.value >> task_local_bits);
}

constexpr uint64_t local_of(TaskId id) {
  return id.value & ((uint64_t{1} << task_local_bits) - 1);
}

}  // namespace pto2
