/// What a queue of a policy gives out, as a value to compare with.
#pragma once

#include <optional>

namespace pto2::test {

/// What `queue` pops, of type T, or nothing.
template <class T, class Queue>
std::optional<T> popped(Queue& queue) {
  T value{};
  return queue.try_pop(value) ? std::optional(value) : std::nullopt;
}

}  // namespace pto2::test
