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
  for (const GuardedParam& param : kernel.task().params) {
    const auto output = outputs_.find(param.tensor.base);
    if (output == outputs_.end() || param.is_written() || kernel.is_shared(param)) continue;
    if (const auto found = find(output->second, param.tensor)) return found;
  }
  return std::nullopt;
}

std::optional<GuardFinding> UnwrittenOutputs::release(uint64_t begin, uint64_t bytes) {
  std::optional<GuardFinding> first;
  auto next = outputs_.lower_bound(begin);
  while (next != outputs_.end() && next->first - begin < bytes) {
    const Output& output = next->second;
    if (!first && !output.is_allocation) first = find(output, output.param.tensor);
    next = outputs_.erase(next);
  }
  return first;
}

}  // namespace pto2::guard
