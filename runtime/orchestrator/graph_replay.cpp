#include "runtime/orchestrator/graph_replay.hpp"

#include <fmt/core.h>

#include <bit>
#include <string_view>

namespace pto2 {

bool GraphReplay::take_submission(const Request& request, Submission& task) {
  const uint64_t* const operands = next_ + 1;
  if (*next_ != head_of(request) || operands[0] != parts_word(request)) return false;
  const uint64_t* word = operands + 2;
  uint64_t types = operands[1];
  for (std::size_t i = 0; i < request.params.size(); ++i, types >>= type_bits) {
    const PTOParam& param = request.params[i];
    if (static_cast<uint64_t>(param.type) != (types & type_mask)) return false;
    if (param.type == PTOParamType::SCALAR) continue;
    if (param.tensor.id - offset_ != *word) return false;
    task.tensors[i] = &tensors_[number_of(*word++)];
  }
  submission_ = std::exchange(next_, word);
  task.heap_bytes = graph_.task(task.serial - 1).heap_bytes;
  task.outputs.clear();
  task.rewritten.clear();
  task.has_pipes = false;
  return true;
}

void GraphReplay::find_producers(Submission& task,
                                 const std::array<uint64_t, max_rings>& alive) const {
  const RecordedTask& recorded = graph_.task(task.serial - 1);
  task.producers.clear();
  for (const TaskId producer : graph_.producers(recorded)) {
    if (local_of(producer) >= alive[ring_of(producer).value]) task.producers.push_back(producer);
  }
  task.owners.clear();
  task.owners.append(graph_.owners(recorded));
}

std::string GraphReplay::difference_from(const char* call) const {
  uint64_t number = 0;
  for (const uint64_t* i = graph_.words().data(); i != next_; i += size_of_call(i)) ++number;
  const std::string_view expected = call_name(kind_of(*next_));
  if (expected == call) return fmt::format("call {}, {}, has other operands", number, call);
  return fmt::format("call {} is {} instead of {}", number, call, expected);
}

uint64_t GraphReplay::address_of(const Submission& task) const {
  const uint32_t allocates = graph_.task(task.serial - 1).allocates;
  if (allocates == 0) return zones_.in_front + 1;  // of nothing
  const PTOParam& first = task.params[static_cast<std::size_t>(std::countr_zero(allocates))];
  return tensors_[number_of(first.tensor.id - offset_)].base - zones_.in_front;
}

}  // namespace pto2
