/// What fails in simulations because it is asked for: parts of the chip, or the orchestration's
/// giving back of a cluster. Which, where and when follows from the seed.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>

#include "runtime/chip/chip.hpp"
#include "runtime/executors/chip_fault.hpp"

namespace pto2::simulations {

enum class Fault : uint8_t {
  none,
  slow_core,
  lost_before_ack,
  lost_after_ack,
  lost_before_fin,
  answers_twice,
  slow_scheduler,
  kept_group,  ///< a free_cluster is left out
};
inline constexpr std::size_t fault_kinds = 8;

[[nodiscard]] const char* name_of(Fault fault);

/// Those that are asked for; `none` is no member.
using FaultSet = std::bitset<fault_kinds>;
[[nodiscard]] FaultSet all_faults();
[[nodiscard]] inline bool has(const FaultSet& set, Fault fault) {
  return set.test(static_cast<std::size_t>(fault));
}

/// Names with commas, or `all`. Throws std::invalid_argument, which lists the names, also for an
/// empty list or a name that comes twice.
[[nodiscard]] FaultSet parse_faults(const std::string& list);
/// The list, in one order; empty for none.
[[nodiscard]] std::string to_string(const FaultSet& set);

/// What can fail in a run.
struct FaultScene {
  const Chip& chip;
  uint64_t tasks = 0;  ///< of the graph
  uint64_t frees = 0;  ///< of clusters, by calls
  /// Whether nothing but its own end ends it early. Else it would depend on the schedule which came
  /// first, that or the loss of a core.
  bool may_lose_cores = true;
};

struct DrawnFault {
  Fault fault = Fault::none;
  executors::ChipFault chip = {};
  uint64_t which = 0;  ///< of the calls, for kept_group
};

/// One of `set` that the scene allows, or none, as often as each. Nothing is drawn of an empty set.
[[nodiscard]] DrawnFault draw_fault(uint64_t seed, const FaultSet& set, const FaultScene& scene);

/// A line for a story; empty if nothing fails.
[[nodiscard]] std::string text_of(const DrawnFault& drawn);

}  // namespace pto2::simulations
