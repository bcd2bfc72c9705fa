#include "runtime/orchestrator/graph_replay.hpp"

#include <fmt/core.h>

#include <string_view>

namespace pto2 {

std::string GraphReplay::difference_from(const char* call) const {
  uint64_t number = 0;
  for (const uint64_t* i = graph_.words().data(); i != next_; i += size_of_call(i)) ++number;
  const std::string_view expected = call_name(kind_of(*next_));
  if (expected == call) return fmt::format("call {}, {}, has other operands", number, call);
  return fmt::format("call {} is {} instead of {}", number, call, expected);
}

uint64_t GraphReplay::address_of(const Submission& task) const {
  const std::span outputs = graph_.outputs(graph_.task(task.serial - 1));
  if (outputs.empty()) return 1;  // of nothing
  return tensors_[outputs.front().tensor].base - outputs.front().offset;
}

}  // namespace pto2
