/// The rules that every run keeps, whatever its graph, its schedule and its end: one list, for
/// whoever judges, documents or counts them.
///
/// An event is recorded beside an atomic step, not with it. Two events are in order of time where
/// the first is recorded before the step that lets the second happen. `consume`, `reclaim` and
/// `give_back` are recorded after their steps; such a step was taken between the event of its
/// thread before it and its own, and it is late only if even the former is. So what a rule refuses
/// did happen in the wrong order, however the threads were delayed.
///
/// A task whose events break VR-I1 or VR-I2 is judged by no later rule. In a run that was given up
/// tasks may be unfinished, scopes and groups open. The *users* of a task are those that it must
/// outlive: consumers whose claim was not `none`, and tasks that hold it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pto2::judging {

/// Which records a rule judges.
enum class Strength : uint8_t {
  always,     ///< all
  counted,    ///< those that have counts; older files have none
  on_demand,  ///< those that are asked for
};

/// "always", "with counts", "on demand"
[[nodiscard]] const char* strength_name(Strength strength);

struct Rule {
  const char* id;  ///< "VR-I5"
  Strength strength;
  const char* sentence;
};

/// All of them, in the order of their numbers.
[[nodiscard]] std::span<const Rule> rule_table();
/// The rule of that id. Throws std::logic_error if there is none.
[[nodiscard]] const Rule& rule_called(std::string_view id);

}  // namespace pto2::judging
