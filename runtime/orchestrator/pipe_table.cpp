#include "runtime/orchestrator/pipe_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/include/pto_orchestration_api.h"

namespace pto2 {

namespace {

/// Bytes from one slot to the next.
uint64_t stride_of(uint32_t slot_bytes, uint64_t alignment) {
  return (uint64_t{slot_bytes} + alignment - 1) / alignment * alignment;
}

/// A tensor of one byte, in no memory: number `serial` of its kind.
TensorRecord one_byte(uint64_t serial) {
  constexpr uint64_t first_address = uint64_t{1} << 62;
  TensorRecord record{};
  record.base = first_address + serial;
  record.owner = {};
  record.dtype = DataType::UINT8;
  record.ndims = 1;
  record.external = true;
  Region& region = record.region;
  region.end = 1;
  region.element_size = 1;
  region.ndims = 1;
  region.contiguous = true;
  std::fill(std::begin(record.shape), std::end(record.shape), 1);
  std::fill(std::begin(region.box_end), std::end(region.box_end), 1);
  record.strides[0] = 1;
  return record;
}

}  // namespace

PipeEntry PipeTable::use(const PipeRequest& request, PipeProblem& problem) {
  if (request.cluster.value >= clusters_.size())
    clusters_.resize(request.cluster.value + std::size_t{1});
  Pipes& pipes = clusters_[request.cluster.value];
  const auto found = pipes.by_tag.find(request.tag);
  if (found == pipes.by_tag.end()) {
    std::unique_ptr<Made> made = make(request, problem);
    if (made == nullptr) return {nullptr, nullptr};
    pipes.by_tag.emplace(request.tag, pipes.made.size());
    pipes.made.push_back(std::move(made));
    return {&pipes.made.back()->pipe, &pipes.made.back()->tensor};
  }
  Made& made = *pipes.made[found->second];
  PTO2_INVARIANT("PI-I2", made.pipe.group == request.group);
  const PTOPipe& control = made.pipe.control;
  if (request.sized &&
      (request.capacity != control.capacity || request.slot_bytes != control.slot_bytes)) {
    problem.text =
        fmt::format("it was made with {} slots of {} bytes, and not {} of {}", control.capacity,
                    control.slot_bytes, request.capacity, request.slot_bytes);
    problem.hint =
        "give the same sizes, or none, to each make_pipe_out_param and make_pipe_in_param that "
        "names it";
    return {nullptr, nullptr};
  }
  return {&made.pipe, &made.tensor};
}

std::unique_ptr<PipeTable::Made> PipeTable::make(const PipeRequest& request, PipeProblem& problem) {
  const uint32_t capacity = request.sized ? request.capacity : PTO2_PIPE_CAPACITY;
  const uint32_t slot_bytes = request.sized ? request.slot_bytes : PTO2_PIPE_SLOT_BYTES;
  const uint64_t stride = stride_of(slot_bytes, alignment);
  if (capacity == 0 || slot_bytes == 0 || stride > max_pipe_bytes / capacity) {
    problem.text = fmt::format(
        "{} slots of {} bytes, of which neither may be 0, and which may take {} "
        "bytes together",
        capacity, slot_bytes, max_pipe_bytes);
    problem.hint =
        "give make_pipe_out_param and make_pipe_in_param sizes within these limits, or none";
    return nullptr;
  }
  auto made = std::make_unique<Made>();
  made->tensor = one_byte(made_++);
  made->tensor.own = {.key = made->tensor.base, .bytes = 1};
  made->tensor.writes = &made->tensor.own;
  made->pipe = {{}, request.group, request.tag, {}};
  PTOPipe& control = made->pipe.control;
  control.stride = stride;
  control.capacity = capacity;
  control.slot_bytes = slot_bytes;
  if (request.counted) return made;
  made->memory = allocate(capacity * stride);
  if (made->memory.begin == nullptr) {
    problem.text = fmt::format("there is no memory for {} slots of {} bytes", capacity, slot_bytes);
    problem.hint = "give the pipe smaller sizes, or free clusters before more are used";
    return nullptr;
  }
  control.slots = reinterpret_cast<uint64_t>(made->memory.begin.get());
  return made;
}

/// The smallest kept memory that is large enough, or new one in place of the largest that is not:
/// pipes that grow from group to group would leave all that they had.
PipeTable::Memory PipeTable::allocate(uint64_t bytes) {
  if (const auto best = kept_.lower_bound(bytes); best != kept_.end()) {
    Memory memory = std::move(best->second);
    kept_.erase(best);
    return memory;
  }
  if (!kept_.empty()) kept_.erase(std::prev(kept_.end()));
  Memory memory;
  memory.begin.reset(new (std::align_val_t{alignment}, std::nothrow) std::byte[bytes]);
  if (memory.begin == nullptr) return memory;
  memory.bytes = bytes;
  return memory;
}

std::vector<PipeLeftover> PipeTable::end_group_on(ClusterId cluster) {
  std::vector<PipeLeftover> leftovers;
  if (cluster.value >= clusters_.size()) return leftovers;
  for (const auto& made : clusters_[cluster.value].made) {
    const PTOPipe& control = made->pipe.control;
    if (control.pushed != control.freed) {
      leftovers.push_back({made->pipe.group, made->pipe.tag, control.pushed - control.popped,
                           control.popped - control.freed});
    }
    if (made->memory.begin == nullptr) continue;
    const uint64_t bytes = made->memory.bytes;
    kept_.emplace(bytes, std::move(made->memory));
  }
  clusters_[cluster.value] = {};
  return leftovers;
}

std::vector<PipeLeftover> PipeTable::end_all() {
  std::vector<PipeLeftover> all;
  for (uint32_t cluster = 0; cluster < clusters_.size(); ++cluster) {
    std::ranges::copy(end_group_on(ClusterId(cluster)), std::back_inserter(all));
  }
  return all;
}

std::string leftover_text(const PipeLeftover& left) {
  return fmt::format(
      "[Pipe] group {}, tag {}: {} entries are left at the end of the group, {} of them popped and "
      "not freed",
      left.group, left.tag, left.waiting + left.held, left.held);
}

}  // namespace pto2
