#include "runtime/guard/unwritten_outputs.hpp"

#include "runtime/guard/values.hpp"

namespace pto2::guard {

std::optional<GuardFinding> UnwrittenOutputs::find(const Output& output, const TensorRecord& read) {
  const ElementCount unwritten = count_values(read).unwritten;
  const uint64_t allowed = output.is_allocation ? read.numel() - 1 : 0;
  if (unwritten.elements <= allowed) return std::nullopt;
  GuardFinding found = output.found;
  found.first = unwritten.first;
  found.count = unwritten.elements;
  found.distance = unwritten.first - output.param.begin();
  return found;
}

std::optional<GuardFinding> UnwrittenOutputs::read_by(const WatchedKernel& kernel) const {
  for (const Output& output : outputs_) {
    for (const GuardedParam& param : kernel.task().params) {
      if (kernel.is_shared(param)) continue;
      if (param.is_written() || param.tensor.base != output.param.tensor.base) continue;
      if (const auto found = find(output, param.tensor)) return found;
    }
  }
  return std::nullopt;
}

std::optional<GuardFinding> UnwrittenOutputs::release(uint64_t begin, uint64_t bytes) {
  std::optional<GuardFinding> first;
  std::erase_if(outputs_, [&](const Output& output) {
    const uint64_t from_begin = output.param.begin() - begin;
    if (from_begin >= bytes) return false;
    if (!first && !output.is_allocation) first = find(output, output.param.tensor);
    return true;
  });
  return first;
}

}  // namespace pto2::guard
