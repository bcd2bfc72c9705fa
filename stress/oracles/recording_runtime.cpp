#include "stress/oracles/recording_runtime.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "runtime/include/pto_kernel_api.h"

namespace pto2::oracle {

constexpr uint32_t most_params = pto_max_args;

const PTO2RuntimeOps RecordingRuntime::table{
    .abi = PTO2_ORCHESTRATION_ABI,
    .submit_task = [](PTO2Runtime* rt, int32_t, int32_t, const PTOParam* params,
                      uint32_t count) { of(rt).submit(params, count); },
    .scope_begin = [](PTO2Runtime* rt) { of(rt).scope_begin(); },
    .scope_end =
        [](PTO2Runtime* rt) {
          if (of(rt).has_inner_scope()) return of(rt).scope_end();
          of(rt).has_mistakes_ = true;
        },
    .orchestration_done = [](PTO2Runtime*) {},
    .make_tensor = [](PTO2Runtime* rt, uint64_t address, const uint64_t* shapes, uint32_t ndims,
                      DataType dtype) { return of(rt).make(address, shapes, ndims, dtype); },
    .view = [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
               const uint64_t* offsets) { return of(rt).view(tensor, shapes, offsets); },
    .reshape = [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
                  uint32_t ndims) { return of(rt).reshape(tensor, shapes, ndims); },
    .transpose = [](PTO2Runtime* rt, uint64_t tensor, uint32_t x,
                    uint32_t y) { return of(rt).transpose(tensor, x, y); },
    .ndims = [](PTO2Runtime* rt, uint64_t tensor) { return of(rt).handle_of(tensor).ndims; },
    .numel = [](PTO2Runtime* rt, uint64_t tensor) { return of(rt).handle_of(tensor).elements; },
    .is_contiguous = [](PTO2Runtime* rt,
                        uint64_t tensor) { return of(rt).handle_of(tensor).is_contiguous(); },
    .dump = [](PTO2Runtime*, uint64_t) {},
    .log = &RecordingRuntime::log,
    .describe = [](PTO2Runtime*, uint64_t, char* text, uint64_t capacity) -> uint64_t {
      if (capacity != 0) *text = 0;
      return 0;
    },
    .allocate_cluster = [](PTO2Runtime* rt) { return of(rt).allocate_cluster(); },
    .free_cluster = [](PTO2Runtime* rt,
                       int32_t cluster) { of(rt).has_mistakes_ |= !of(rt).close_cluster(cluster); },
    .submit_task_clustered = [](PTO2Runtime* rt, int32_t, int32_t, const PTOParam* params,
                                uint32_t count, int32_t) { of(rt).submit(params, count); },
    .submit_block_task = [](PTO2Runtime* rt, int32_t, int32_t, const PTOParam* params,
                            uint32_t count, uint32_t,
                            const int32_t*) { of(rt).submit(params, count); },
    .fail = [](PTO2Runtime*, int32_t, const char*) {},
};

void RecordingRuntime::log(PTO2Runtime*, int32_t, const char*, ...) {}

void RecordingRuntime::Handle::lay_out(const uint64_t* shapes, uint32_t count) {
  ndims = count;
  elements = 1;
  for (uint32_t i = count; i-- > 0;) {
    shape[i] = shapes[i];
    strides[i] = elements;
    elements *= shapes[i];
  }
}

bool RecordingRuntime::Handle::is_contiguous() const {
  uint64_t expected = 1;
  for (uint32_t i = ndims; i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return ndims != 0;
}

const RecordingRuntime::Handle& RecordingRuntime::handle_of(uint64_t tensor) {
  const bool is_known = tensor != 0 && tensor < handles_.size();
  has_mistakes_ |= !is_known;
  return handles_[is_known ? tensor : 0];
}

bool RecordingRuntime::may_have(uint32_t ndims) {
  const bool is_known = ndims != 0 && ndims <= PTO_MAX_DIMS;
  has_mistakes_ |= !is_known;
  return is_known;
}

bool RecordingRuntime::knows(const PTOParam& param) {
  const PTOParamType type = param.type;
  const bool is_tensor =
      type == PTOParamType::INPUT || type == PTOParamType::OUTPUT || type == PTOParamType::INOUT;
  return !is_tensor || handle_of(param.tensor.id).ndims != 0;
}

size_t RecordingRuntime::find_or_add(Buffer& buffer, const Layout& layout,
                                     std::vector<uint64_t> begin, std::vector<uint64_t> extent) {
  const auto [size, is_new_size] = buffer.sizes.try_emplace({layout, extent}, buffer.groups.size());
  if (is_new_size) buffer.groups.emplace_back();
  Group& group = buffer.groups[size->second];
  const auto [box, is_new] = group.boxes.try_emplace(begin, buffer.boxes.size());
  if (!is_new) return box->second;
  for (size_t i = 0; i < extent.size(); ++i) {
    group.is_grid &= extent[i] != 0 && begin[i] % extent[i] == 0;
  }
  buffer.boxes.push_back({layout, std::move(begin), std::move(extent), size->second});
  return box->second;
}

uint64_t RecordingRuntime::make(uint64_t address, const uint64_t* shapes, uint32_t ndims,
                                DataType dtype) {
  if (!may_have(ndims)) return 0;
  if (address == PTO2_NULL_EXTERNAL) address = 0;
  const uint64_t element_bytes = get_element_size(dtype);
  Handle handle{.element_bytes = element_bytes};
  handle.lay_out(shapes, ndims);
  const uint64_t bytes = handle.elements * element_bytes;
  size_t& buffer = handle.buffer;
  buffer = buffers_.size();
  if (address != 0) buffer = external_.at(address, bytes, buffer);
  if (buffer == buffers_.size()) {
    buffers_.emplace_back();
    buffers_.back().address = address;
  }
  buffers_[buffer].bytes = bytes;
  const Layout layout{std::vector<uint64_t>(shapes + std::min(ndims, 1U), shapes + ndims),
                      element_bytes};
  handle.box = find_or_add(buffers_[buffer], layout, std::vector<uint64_t>(ndims),
                           std::vector<uint64_t>(shapes, shapes + ndims));
  handles_.push_back(handle);
  return handles_.size() - 1;
}

uint64_t RecordingRuntime::view(uint64_t tensor, const uint64_t* shapes, const uint64_t* offsets) {
  Handle handle = handle_of(tensor);
  if (has_mistakes_) return 0;
  Buffer& buffer = buffers_[handle.buffer];
  const Layout layout = buffer.boxes[handle.box].layout;
  std::vector<uint64_t> begin = buffer.boxes[handle.box].begin;
  boxes_are_apart_ &= handle.has_axes;
  begin.resize(handle.ndims);  // of other axes it may be more, or fewer
  handle.elements = 1;
  for (uint32_t i = 0; i < handle.ndims; ++i) {
    handle.shape[i] = shapes[i];
    handle.elements *= shapes[i];
    begin[i] += offsets[i];
  }
  handle.box = find_or_add(buffer, layout, std::move(begin),
                           std::vector<uint64_t>(shapes, shapes + handle.ndims));
  handles_.push_back(handle);
  return handles_.size() - 1;
}

uint64_t RecordingRuntime::reshape(uint64_t tensor, const uint64_t* shapes, uint32_t ndims) {
  Handle handle = handle_of(tensor);
  if (!may_have(ndims)) return 0;
  handle.has_axes = false;
  handle.lay_out(shapes, ndims);
  handles_.push_back(handle);
  return handles_.size() - 1;
}

uint64_t RecordingRuntime::transpose(uint64_t tensor, uint32_t x, uint32_t y) {
  Handle handle = handle_of(tensor);
  has_mistakes_ |= x >= handle.ndims || y >= handle.ndims;
  if (has_mistakes_) return 0;
  handle.has_axes = false;
  std::swap(handle.shape[x], handle.shape[y]);
  std::swap(handle.strides[x], handle.strides[y]);
  handles_.push_back(handle);
  return handles_.size() - 1;
}

bool RecordingRuntime::writes_shared_bytes() const {
  return std::ranges::any_of(external_.shared(), [&](size_t buffer) {
    return std::ranges::any_of(buffers_[buffer].boxes,
                               [](const Box& box) { return !box.writers.empty(); });
  });
}

/// There may be as many as there are tasks, so that what cannot overlap is not looked at. Of a grid
/// that has become none, the boxes that were passed over until then do not overlap.
void RecordingRuntime::compare(Buffer& buffer, Box& box) {
  const auto is_apart = [&](const Box& other) {
    if (other.layout != box.layout || other.begin.size() != box.begin.size()) return false;
    for (size_t i = 0; i < box.begin.size(); ++i) {
      if (box.begin[i] + box.extent[i] <= other.begin[i]) return true;
      if (other.begin[i] + other.extent[i] <= box.begin[i]) return true;
    }
    return false;
  };
  for (size_t i = 0; i < buffer.groups.size() && boxes_are_apart_; ++i) {
    const Group& group = buffer.groups[i];
    if (i == box.group && group.is_grid) continue;
    for (const size_t written : std::views::reverse(group.written)) {
      const Box& other = buffer.boxes[written];
      if (other.written <= box.compared) break;
      boxes_are_apart_ &= &other == &box || is_apart(other);
    }
  }
  box.compared = buffer.written;
}

RecordingRuntime::Box& RecordingRuntime::use(const PTOParam& param) {
  const Handle& handle = handles_[param.tensor.id];
  Buffer& buffer = buffers_[handle.buffer];
  Box& box = buffer.boxes[handle.box];
  compare(buffer, box);
  return box;
}

void RecordingRuntime::scope_begin() {
  program_.push_back({oracle::CallKind::scope_begin});
  scopes_.emplace_back();
}

void RecordingRuntime::scope_end() {
  program_.push_back({oracle::CallKind::scope_end});
  for (const size_t task : scopes_.back().tasks) tasks_[task].scope_end = tasks_.size();
  for (const int32_t cluster : scopes_.back().clusters) close_cluster(cluster);
  scopes_.pop_back();
}

int32_t RecordingRuntime::allocate_cluster() {
  has_groups_ = true;
  // With none closed, those that are open are the first.
  const int32_t cluster =
      closed_clusters_.empty() ? static_cast<int32_t>(clusters_.size()) : *closed_clusters_.begin();
  closed_clusters_.erase(cluster);
  clusters_.insert(cluster);
  scopes_.back().clusters.push_back(cluster);
  return cluster;
}

bool RecordingRuntime::close_cluster(int32_t cluster) {
  if (clusters_.erase(cluster) == 0) return false;
  closed_clusters_.insert(cluster);
  return true;
}

void RecordingRuntime::submit(const PTOParam* params, uint32_t count) {
  has_mistakes_ |= count > most_params || (params == nullptr && count != 0);
  for (uint32_t i = 0; i < count && !has_mistakes_; ++i) has_mistakes_ |= !knows(params[i]);
  if (has_mistakes_) return;
  oracle::Call call{oracle::CallKind::submit};
  std::set<size_t> producers;
  const size_t task = tasks_.size();
  for (uint32_t i = 0; i < count; ++i) {
    const PTOParamType type = params[i].type;
    has_pipes_ |= type == PTOParamType::PIPE_IN || type == PTOParamType::PIPE_OUT;
    if (type != PTOParamType::INPUT && type != PTOParamType::INOUT) continue;
    read(params[i], producers, call);
  }
  const std::set<size_t> read = producers;
  RecordedTask& recorded = tasks_.emplace_back();
  recorded.producers.assign(producers.begin(), producers.end());
  recorded.ring = oracle::ring_at(scopes_.size(), rings_);
  scopes_.back().tasks.push_back(task);
  for (uint32_t i = 0; i < count; ++i) {
    const PTOParamType type = params[i].type;
    if (type != PTOParamType::OUTPUT && type != PTOParamType::INOUT) continue;
    Buffer& buffer = buffers_[handles_[params[i].tensor.id].buffer];
    if (buffer.address == 0) {
      buffer.address = 1;
      buffer.allocated_here = true;
      buffer.allocator = task;
      call.output_bytes.push_back(buffer.bytes);
    } else if (buffer.allocated_here && producers.insert(buffer.allocator).second) {
      recorded.owners.push_back(buffer.allocator);
    }
    if (type == PTOParamType::OUTPUT) take_place(params[i], read, call);
    Box& box = use(params[i]);
    if (box.written == 0) {
      box.written = ++buffer.written;
      buffer.groups[box.group].written.push_back(handles_[params[i].tensor.id].box);
    }
    box.writers.push_back(task);
    box.reader.reset();
    ++call.map_entries;
  }
  call.dep_nodes = producers.size();
  program_.push_back(std::move(call));
}

/// An INOUT takes the place of those who wrote before, but for the one who owns the buffer.
void RecordingRuntime::read(const PTOParam& param, std::set<size_t>& producers,
                            oracle::Call& call) {
  const Buffer& buffer = buffers_[handles_[param.tensor.id].buffer];
  Box& box = use(param);
  producers.insert(box.writers.begin(), box.writers.end());
  box.reader = tasks_.size();
  if (param.type != PTOParamType::INOUT) return;
  std::vector<size_t> kept;
  for (const size_t writer : box.writers) {
    if (buffer.allocated_here && writer == buffer.allocator) {
      kept.push_back(writer);
    } else {
      call.replaced.push_back(writer);
    }
  }
  box.writers = kept;
}

/// Who writes all of a buffer unread takes the place of who did so last, if he is ordered behind
/// him: because of what he reads of him, or of the last that has read him, in the same ring.
void RecordingRuntime::take_place(const PTOParam& param, const std::set<size_t>& producers,
                                  oracle::Call& call) {
  const Handle& handle = handles_[param.tensor.id];
  const Buffer& buffer = buffers_[handle.buffer];
  Box& box = use(param);
  const bool is_whole = handle.elements * handle.element_bytes == buffer.bytes;
  if (!is_whole || box.writers.empty()) return;
  const size_t writer = box.writers.back();
  if (buffer.allocated_here && writer == buffer.allocator) return;
  const bool reads_reader = box.reader && producers.contains(*box.reader) &&
                            tasks_[*box.reader].ring == tasks_[writer].ring;
  if (!producers.contains(writer) && !reads_reader) return;
  box.writers.pop_back();
  call.displaced.push_back(writer);
}

}  // namespace pto2::oracle
