#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>

#include "pto2/checker/value.hpp"

namespace pto2::model::engine {

/// Position of an event in its graph's order of insertion; negative ids name initial writes.
using EventId = std::int32_t;
using LocationId = std::int32_t;
using ThreadId = std::int32_t;
/// An entry of a vector clock: how many events of one thread are covered.
using Count = std::uint16_t;

/// Threads that one execution may have.
inline constexpr ThreadId max_threads = 256;
inline constexpr EventId no_event = INT32_MIN;
/// Behind every event: what `first_later` says of the last write.
inline constexpr EventId never = INT32_MAX;
/// The value every location holds from its construction on is written by a pseudo-event.
constexpr EventId initial_write(LocationId location) {
  return ~location;
}
constexpr bool is_initial(EventId event) {
  return event < 0;
}

enum class Kind : std::uint8_t { read, rmw_read, write, rmw_write, fence, spawn, join };

constexpr bool is_read(Kind kind) {
  return kind == Kind::read || kind == Kind::rmw_read;
}
constexpr bool is_write(Kind kind) {
  return kind == Kind::write || kind == Kind::rmw_write;
}

constexpr bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

/// What a read-modify-write does with the value it reads.
struct Update {
  using Apply = Value (*)(Value current, Value operand);

  Apply apply = nullptr;  ///< null for a compare-exchange, which stores the operand
  Value operand;
  Value expected;  ///< only for a compare-exchange
  std::memory_order success = std::memory_order_seq_cst;
  std::memory_order failure = std::memory_order_seq_cst;
  bool weak = false;  ///< may fail although the values are equal

  bool conditional() const { return apply == nullptr; }
  bool succeeds_on(const Value& current) const { return !conditional() || current == expected; }
  /// Spuriously.
  bool may_fail_on(const Value& current) const { return weak && current == expected; }
  Value result(const Value& current) const {
    return conditional() ? operand : apply(current, operand);
  }
};

/// One node of an execution graph. A read-modify-write is a read and, when it succeeds, a write
/// right behind it in the same thread.
struct Event {
  Kind kind = Kind::fence;
  std::memory_order order = std::memory_order_relaxed;
  bool spurious = false;   ///< a weak compare-exchange that fails on an equal value
  bool gain = false;       ///< a write whose gain row is in use
  bool listed = false;     ///< a read that is in its write's list of readers
  bool tentative = false;  ///< an rmw_read in a predicate, which writes only if that holds
  ThreadId thread = 0;
  std::int32_t index = 0;          ///< position in its thread
  LocationId location = -1;        ///< or the other thread, of a spawn or a join
  std::int32_t release_fence = 0;  ///< 1 + index of the thread's last release fence, 0 without one

  EventId rf = no_event;           ///< the write a read takes its value from; an rmw_write's source
  EventId next_reader = no_event;  ///< chain of the readers of one write
  EventId readers = no_event;      ///< head of that chain
  EventId mo_previous = no_event;
  EventId mo_next = no_event;
  EventId first_later = never;  ///< the oldest of the writes that are later in modification order
  std::int32_t update = -1;     ///< of an rmw_read: index of its Update
  std::int32_t choices = 0;     ///< size of the graph's choice stack when this event came

  std::uint64_t version = 0;  ///< differs whenever the thread's history up to here does
  Value value;                ///< what a write stores
  std::source_location site;
};

}  // namespace pto2::model::engine
