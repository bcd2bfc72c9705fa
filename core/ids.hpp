/// Numbers of things, a type for each kind of thing, so that no cluster is taken for a scheduler.
#pragma once

#include <compare>
#include <cstdint>

namespace pto2 {

/// The number of one thing of a kind, counted from 0.
template <class Kind>
struct Id {
  uint32_t value = 0;

  constexpr Id() = default;
  explicit constexpr Id(uint32_t number) : value(number) {}
  /// A number that stands in the source is of whatever kind is asked for.
  consteval Id(int number) : value(static_cast<uint32_t>(number)) {}

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using RingId = Id<struct RingKind>;
using ClusterId = Id<struct ClusterKind>;
using SchedulerId = Id<struct SchedulerKind>;

}  // namespace pto2
