#pragma once

#include <atomic>
#include <cstddef>
#include <source_location>
#include <string_view>
#include <type_traits>

#include "pto2/checker/detail.hpp"
#include "pto2/checker/value.hpp"

namespace pto2::model {

namespace detail {

/// The failure order that a compare-exchange with one order has ([atomics.types.operations]).
constexpr std::memory_order failure_order(std::memory_order order) {
  if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
  if (order == std::memory_order_release) return std::memory_order_relaxed;
  return order;
}

struct Add {
  template <class T, class Operand>
  static T apply(T current, Operand operand) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      // Atomic arithmetic wraps around.
      return static_cast<T>(
          static_cast<Unsigned>(static_cast<Unsigned>(current) + static_cast<Unsigned>(operand)));
    } else {
      return current + operand;
    }
  }
};
struct Subtract {
  template <class T, class Operand>
  static T apply(T current, Operand operand) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(
          static_cast<Unsigned>(static_cast<Unsigned>(current) - static_cast<Unsigned>(operand)));
    } else {
      return current - operand;
    }
  }
};
struct And {
  template <class T>
  static T apply(T current, T operand) {
    return static_cast<T>(current & operand);
  }
};
struct Or {
  template <class T>
  static T apply(T current, T operand) {
    return static_cast<T>(current | operand);
  }
};
struct Xor {
  template <class T>
  static T apply(T current, T operand) {
    return static_cast<T>(current ^ operand);
  }
};
struct Replace {
  template <class T>
  static T apply(T, T operand) {
    return operand;
  }
};

template <class Operation, class T, class Operand>
Value apply_to_bits(Value current, Value operand) {
  return to_value<T>(Operation::apply(from_value<T>(current), from_value<Operand>(operand)));
}

template <class T>
constexpr TypeInfo type_info() {
  return {static_cast<std::uint8_t>(sizeof(T)), std::is_signed_v<T>, std::is_pointer_v<T>};
}

}  // namespace detail

/// std::atomic's interface; each operation is a step of the explored program. T is trivially
/// copyable, without padding, and has at most 16 bytes. A class with members of floating point is
/// known to be without padding if it has a constexpr default constructor and no pointers. A name,
/// when given, stands in reports.
template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Value),
                "model::atomic holds trivially copyable types of up to 16 bytes");
  static_assert(Unpadded<T>,
                "model::atomic holds types without padding: name the bytes that no member takes");
  using Site = std::source_location;

 public:
  using value_type = T;
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;

  atomic(Site site = Site::current()) {
    id_ = detail::create_atomic(this, to_value(T()), detail::type_info<T>(), {}, site);
  }
  atomic(T value, std::string_view name = {}, Site site = Site::current()) {
    id_ = detail::create_atomic(this, to_value(value), detail::type_info<T>(), name, site);
  }
  ~atomic() { detail::destroy_atomic(id_, this, Site::current()); }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  bool is_lock_free() const noexcept { return is_always_lock_free; }

  T load(std::memory_order order = std::memory_order_seq_cst, Site site = Site::current()) const {
    return from_value<T>(detail::load(id_, this, order, site));
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst,
             Site site = Site::current()) {
    detail::store(id_, this, to_value(value), order, site);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst,
             Site site = Site::current()) {
    return modify<detail::Replace, T>(value, order, site);
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure, Site site = Site::current()) {
    return compare_exchange(expected, desired, success, failure, false, site);
  }
  bool compare_exchange_strong(T& expected, T desired,
                               std::memory_order order = std::memory_order_seq_cst,
                               Site site = Site::current()) {
    return compare_exchange(expected, desired, order, detail::failure_order(order), false, site);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure, Site site = Site::current()) {
    return compare_exchange(expected, desired, success, failure, true, site);
  }
  bool compare_exchange_weak(T& expected, T desired,
                             std::memory_order order = std::memory_order_seq_cst,
                             Site site = Site::current()) {
    return compare_exchange(expected, desired, order, detail::failure_order(order), true, site);
  }

  T fetch_add(difference_type operand, std::memory_order order = std::memory_order_seq_cst,
              Site site = Site::current()) {
    return modify<detail::Add, difference_type>(operand, order, site);
  }
  T fetch_sub(difference_type operand, std::memory_order order = std::memory_order_seq_cst,
              Site site = Site::current()) {
    return modify<detail::Subtract, difference_type>(operand, order, site);
  }
  T fetch_and(T operand, std::memory_order order = std::memory_order_seq_cst,
              Site site = Site::current()) {
    return modify<detail::And, T>(operand, order, site);
  }
  T fetch_or(T operand, std::memory_order order = std::memory_order_seq_cst,
             Site site = Site::current()) {
    return modify<detail::Or, T>(operand, order, site);
  }
  T fetch_xor(T operand, std::memory_order order = std::memory_order_seq_cst,
              Site site = Site::current()) {
    return modify<detail::Xor, T>(operand, order, site);
  }

  operator T() const { return load(); }
  T operator=(T value) {
    store(value);
    return value;
  }
  T operator++() { return detail::Add::apply(fetch_add(1), difference_type{1}); }
  T operator++(int) { return fetch_add(1); }
  T operator--() { return detail::Subtract::apply(fetch_sub(1), difference_type{1}); }
  T operator--(int) { return fetch_sub(1); }
  T operator+=(difference_type operand) { return detail::Add::apply(fetch_add(operand), operand); }
  T operator-=(difference_type operand) {
    return detail::Subtract::apply(fetch_sub(operand), operand);
  }
  T operator&=(T operand) { return detail::And::apply(fetch_and(operand), operand); }
  T operator|=(T operand) { return detail::Or::apply(fetch_or(operand), operand); }
  T operator^=(T operand) { return detail::Xor::apply(fetch_xor(operand), operand); }

 private:
  template <class Operation, class Operand>
  T modify(Operand operand, std::memory_order order, const Site& site) {
    detail::RmwRequest request;
    request.apply = &detail::apply_to_bits<Operation, T, Operand>;
    request.operand = to_value(operand);
    request.success = request.failure = order;
    return from_value<T>(detail::update(id_, this, request, site).previous);
  }

  bool compare_exchange(T& expected, T desired, std::memory_order success,
                        std::memory_order failure, bool weak, const Site& site) {
    detail::RmwRequest request;
    request.operand = to_value(desired);
    request.expected = to_value(expected);
    request.success = success;
    request.failure = failure;
    request.weak = weak;
    const detail::RmwResult result = detail::update(id_, this, request, site);
    if (!result.stored) expected = from_value<T>(result.previous);
    return result.stored;
  }

  std::int32_t id_ = -1;
};

/// std::atomic_thread_fence.
inline void fence(std::memory_order order,
                  const std::source_location& site = std::source_location::current()) {
  detail::fence(order, site);
}

}  // namespace pto2::model
