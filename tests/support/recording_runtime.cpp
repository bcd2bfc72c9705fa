#include "tests/support/recording_runtime.hpp"

#include <set>

namespace pto2::test {

const PTO2RuntimeOps RecordingRuntime::table{
    .abi = PTO2_ORCHESTRATION_ABI,
    .submit_task = [](PTO2Runtime* rt, int32_t, int32_t, const PTOParam* params,
                      uint32_t count) { of(rt).submit(params, count); },
    .scope_begin = [](PTO2Runtime* rt) { of(rt).scope_begin(); },
    .scope_end = [](PTO2Runtime* rt) { of(rt).scope_end(); },
    .orchestration_done = [](PTO2Runtime*) {},
    .make_tensor = [](PTO2Runtime* rt, uint64_t address, const uint64_t* shapes, uint32_t ndims,
                      DataType dtype) { return of(rt).make(address, shapes, ndims, dtype); },
    .view = [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
               const uint64_t*) { return of(rt).derive(tensor, shapes, 0); },
    .reshape = [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
                  uint32_t ndims) { return of(rt).derive(tensor, shapes, ndims); },
    .transpose = [](PTO2Runtime*, uint64_t tensor, uint32_t, uint32_t) { return tensor; },
    .ndims = [](PTO2Runtime* rt, uint64_t tensor) { return of(rt).handles_[tensor].ndims; },
    .numel = [](PTO2Runtime* rt, uint64_t tensor) { return of(rt).handles_[tensor].elements; },
    .is_contiguous = [](PTO2Runtime*, uint64_t) { return true; },
    .dump = [](PTO2Runtime*, uint64_t) {},
    .log = &RecordingRuntime::log,
    .describe = [](PTO2Runtime*, uint64_t, char* text, uint64_t capacity) -> uint64_t {
      if (capacity != 0) *text = 0;
      return 0;
    },
    .allocate_cluster =
        [](PTO2Runtime* rt) {
          of(rt).exact_ = false;
          return 0;
        },
    .free_cluster = [](PTO2Runtime*, int32_t) {},
    .submit_task_clustered = [](PTO2Runtime* rt, int32_t, int32_t, const PTOParam* params,
                                uint32_t count, int32_t) { of(rt).submit(params, count); },
    .submit_block_task = [](PTO2Runtime* rt, int32_t, int32_t, const PTOParam* params,
                            uint32_t count, uint32_t,
                            const int32_t*) { of(rt).submit(params, count); },
};

void RecordingRuntime::log(PTO2Runtime*, int32_t, const char*, ...) {}

uint64_t RecordingRuntime::make(uint64_t address, const uint64_t* shapes, uint32_t ndims,
                                DataType dtype) {
  uint64_t elements = 1;
  for (uint32_t i = 0; i < ndims; ++i) elements *= shapes[i];
  size_t buffer = buffers_.size();
  if (address != 0) {
    buffer = external_.try_emplace(address, buffer).first->second;
  }
  if (buffer == buffers_.size()) {
    buffers_.push_back({elements * get_element_size(dtype), address, false, false, {}, 0});
  }
  handles_.push_back({buffer, ndims, elements});
  return handles_.size() - 1;
}

uint64_t RecordingRuntime::derive(uint64_t tensor, const uint64_t* shapes, uint32_t ndims) {
  Handle handle = handles_[tensor];
  if (ndims != 0) handle.ndims = ndims;
  handle.elements = 1;
  for (uint32_t i = 0; i < handle.ndims; ++i) handle.elements *= shapes[i];
  handle.whole &= handle.elements == handles_[tensor].elements;
  handles_.push_back(handle);
  return handles_.size() - 1;
}

void RecordingRuntime::submit(const PTOParam* params, uint32_t count) {
  oracle::Event event{oracle::EventKind::submit};
  std::set<size_t> producers;
  const size_t task = tasks_++;
  for (uint32_t i = 0; i < count; ++i) {
    const PTOParamType type = params[i].type;
    if (type != PTOParamType::INPUT && type != PTOParamType::INOUT) continue;
    Buffer& buffer = buffers_[handles_[params[i].tensor.id].buffer];
    const bool part = buffer.in_parts || !handles_[params[i].tensor.id].whole;
    exact_ &= buffer.writers.empty() || !part;
    producers.insert(buffer.writers.begin(), buffer.writers.end());
    if (type != PTOParamType::INOUT) continue;
    std::vector<size_t> kept;
    for (const size_t writer : buffer.writers) {
      if (buffer.allocated_here && writer == buffer.allocator) {
        kept.push_back(writer);
      } else {
        event.replaced.push_back(writer);
      }
    }
    buffer.writers = kept;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const PTOParamType type = params[i].type;
    if (type != PTOParamType::OUTPUT && type != PTOParamType::INOUT) continue;
    const Handle& handle = handles_[params[i].tensor.id];
    Buffer& buffer = buffers_[handle.buffer];
    buffer.in_parts |= !handle.whole;
    if (buffer.address == 0) {
      buffer.address = 1;
      buffer.allocated_here = true;
      buffer.allocator = task;
      event.output_bytes.push_back(buffer.bytes);
    } else if (buffer.allocated_here) {
      producers.insert(buffer.allocator);  // it is held, if not read
    }
    buffer.writers.push_back(task);
    ++event.map_entries;
  }
  event.dep_nodes = producers.size();
  program_.push_back(std::move(event));
}

}  // namespace pto2::test
