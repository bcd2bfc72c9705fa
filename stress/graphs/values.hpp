/// What the tasks of a random graph compute: a hash of all they read, spread over all they write.
///
/// The interpreter predicts these values and the kernels compute them, each walking the elements in
/// its own way.
#pragma once

#include <cstdint>
#include <cstring>

namespace pto2::graphs {

/// Step of the hash.
constexpr uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

/// The hash that task `number` starts with.
constexpr uint64_t hash_of_task(uint64_t number) {
  return mix(0x7a5c, number + 1);
}

/// The same for part `part` of a block task.
constexpr uint64_t hash_of_part(uint64_t number, uint64_t part) {
  return mix(hash_of_task(number), part + 1);
}

/// The elements of a tensor that one part of a task is about: every `parts`-th, from `part` on.
struct Share {
  uint64_t parts = 1;
  uint64_t part = 0;

  [[nodiscard]] constexpr bool has(uint64_t element) const { return element % parts == part; }
};

/// What a task with this hash writes to element `element` of parameter `param`.
constexpr uint64_t value_written(uint64_t hash, uint64_t param, uint64_t element) {
  return mix(hash + param, element);
}

/// What a task pushes with its step number `step`, when it has this hash.
constexpr uint64_t value_pushed(uint64_t hash, uint64_t step) {
  return mix(hash ^ 0x9195, step);
}

/// The hash after a pop of an entry with these words at its start and its end.
constexpr uint64_t hash_popped(uint64_t hash, uint64_t first, uint64_t last) {
  return mix(mix(hash, first), last);
}

/// What byte `byte` of external buffer `buffer` holds before the run.
constexpr uint8_t initial_byte(uint64_t buffer, uint64_t byte) {
  return static_cast<uint8_t>(mix(buffer + 1, byte) >> 32);
}

/// An element of `size` bytes, 1 to 8.
inline uint64_t load_element(const void* from, uint32_t size) {
  uint64_t value = 0;
  std::memcpy(&value, from, size);
  return value;
}
inline void store_element(void* to, uint64_t value, uint32_t size) {
  std::memcpy(to, &value, size);
}

}  // namespace pto2::graphs
