#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace pto2::model {

/// The bits of an atomic's value; objects of up to 16 bytes fit, padding must not exist.
struct Value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Value&, const Value&) = default;
};

/// A type whose values the checker can hold: its bits are its value.
template <class T>
concept Storable = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Value);

template <Storable T>
Value to_value(const T& object) noexcept {
  Value value;
  std::memcpy(static_cast<void*>(&value), &object, sizeof(T));
  return value;
}

template <Storable T>
T from_value(const Value& value) noexcept {
  // The representation of a trivially copyable object may be copied into storage of its type even
  // when the type has no default constructor.
  alignas(T) std::byte storage[sizeof(T)];
  std::memcpy(storage, &value, sizeof(T));
  return *std::launder(reinterpret_cast<T*>(storage));
}

}  // namespace pto2::model
