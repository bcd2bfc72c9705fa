#include "runtime/validate/trace.hpp"

#include <iterator>

namespace pto2::validation {

const char* name_of(Kind kind) {
  static constexpr const char* names[] = {
      "submit",    "ready",       "dispatch",  "ack",      "fin",     "consume",
      "reclaim",   "wait",        "exit",      "allocate", "close",   "join",
      "give_back", "scope_begin", "scope_end", "pipe",     "leftover"};
  static_assert(std::size(names) == kinds);
  return names[static_cast<std::size_t>(kind)];
}

bool is_of_a_task(Kind kind) {
  return kind <= Kind::reclaim || kind == Kind::join || kind == Kind::pipe;
}

uint64_t Param::begin() const {
  uint64_t first = 0;
  for (uint32_t i = 0; i < dims; ++i) first += start[i] * strides[i];
  return base + origin + first * element;
}

uint64_t Param::end() const {
  uint64_t last = 0;
  for (uint32_t i = 0; i < dims; ++i) last += (start[i] + extent[i] - 1) * strides[i];
  return base + origin + (last + 1) * element;
}

}  // namespace pto2::validation
