#pragma once

#include <array>
#include <bit>
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

namespace detail {

template <class T>
using Bytes = std::array<unsigned char, sizeof(T)>;

constexpr unsigned sum_of(const auto& bytes) {
  unsigned sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  return sum;
}

/// Of a type with floating-point members, whose equal values may differ in bits: a constant of it
/// has a value in each byte. No constant expression reads a byte of padding.
template <class T>
concept FullOfFloats = !std::is_same_v<T, long double> && requires {
  typename std::integral_constant<unsigned, sum_of(std::bit_cast<Bytes<T>>(T{}))>;
};

}  // namespace detail

/// A type without padding, as far as the compiler can tell.
template <class T>
concept Unpadded = std::has_unique_object_representations_v<T> || detail::FullOfFloats<T>;

/// A type whose values the checker can hold: its bits are its value.
template <class T>
concept Storable = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Value) && Unpadded<T>;

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
