// Litmus programs with what they may and may not do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pto2::model::litmus {

struct Entry {
  std::string_view name;
  std::string_view program;  ///< in the notation of Program::parse
  std::uint64_t executions;  ///< consistent graphs
  /// Every outcome: the values read, thread by thread, then "/" and the last value of each
  /// location; several are separated by ", ".
  std::string_view allowed;
  /// The outcomes that the test is about and that must not be seen; "?" stands for any value.
  /// Empty where everything that one could ask for is allowed.
  std::string_view forbidden;
};

std::span<const Entry> classics();
std::span<const Entry> coherence();
std::span<const Entry> updates();
std::span<const Entry> sequential_consistency();

}  // namespace pto2::model::litmus
