#include "runtime/tensormap/tensor_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "core/assert.hpp"
#include "runtime/chip/argument_text.hpp"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/tensormap/tensor_map.hpp"

namespace pto2 {
namespace {

constexpr uint64_t max_extent = std::numeric_limits<uint32_t>::max();
constexpr uint64_t max_bytes = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

/// Sets shape, row-major strides, and the region of a whole root that starts `begin` bytes into
/// its buffer. Returns false when a limit is exceeded; the record is garbage then. The number of
/// dimensions is known to the compiler, so that the loops dissolve into stores.
template <uint32_t ndims>
[[gnu::always_inline]] inline bool lay_out_dims(TensorRecord& record, const uint64_t* shape,
                                                uint64_t element_size, uint64_t begin) {
  Region& region = record.region;
  uint64_t stride = 1;
  for (uint32_t i = ndims; i-- > 0;) {
    const uint64_t extent = shape[i];
    // An extent of 0 or of 2^32 and more, or such a stride, leaves a bit in the upper half; if
    // none does, both factors fit 32 bits and their product 64.
    if (((extent - 1) | extent | stride) > max_extent) return false;
    record.shape[i] = region.box_end[i] = static_cast<uint32_t>(extent);
    record.strides[i] = static_cast<uint32_t>(stride);
    if (i + 1 < ndims) region.root_strides[i] = static_cast<uint32_t>(stride);
    stride *= extent;
  }
  // A single extent fits whatever the elements.
  if (ndims > 1 && stride > max_bytes >> std::countr_zero(element_size)) return false;
  for (uint32_t i = ndims; i < PTO_MAX_DIMS; ++i) {
    record.shape[i] = region.box_end[i] = 1;
    record.strides[i] = 0;
  }
  for (uint32_t i = ndims - 1; i + 1 < PTO_MAX_DIMS; ++i) region.root_strides[i] = 0;
  for (uint32_t i = 0; i < PTO_MAX_DIMS; ++i) {
    record.axes[i] = static_cast<uint8_t>(i);
    region.box_begin[i] = 0;
  }
  record.ndims = ndims;
  region.begin = begin;
  region.end = begin + stride * element_size;
  region.origin = begin;
  region.element_size = static_cast<uint32_t>(element_size);
  region.ndims = static_cast<uint8_t>(ndims);
  region.contiguous = true;
  region.unused = 0;
  return true;
}

[[gnu::always_inline]] inline bool lay_out_root(TensorRecord& record, const uint64_t* shape,
                                                uint32_t ndims, uint64_t element_size,
                                                uint64_t begin) {
  static_assert(PTO_MAX_DIMS == 5);
  if (element_size == 0) return false;
  switch (ndims) {
    case 1:
      return lay_out_dims<1>(record, shape, element_size, begin);
    case 2:
      return lay_out_dims<2>(record, shape, element_size, begin);
    case 3:
      return lay_out_dims<3>(record, shape, element_size, begin);
    case 4:
      return lay_out_dims<4>(record, shape, element_size, begin);
    case 5:
      return lay_out_dims<5>(record, shape, element_size, begin);
    default:
      return false;
  }
}

template <class T>
std::string list(const T* values, uint32_t count) {
  return fmt::format("[{}]", fmt::join(std::span(values, count), ", "));
}

}  // namespace

uint64_t TensorRecord::numel() const {
  uint64_t product = 1;
  for (uint32_t extent : shape) product *= extent;
  return product;
}

bool TensorRecord::is_contiguous() const {
  uint64_t expected = 1;
  for (uint32_t i = ndims; i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::string describe(uint64_t tensor, const TensorRecord* record) {
  if (tensor == 0) return "handle 0 is no tensor; make one with make_tensor";
  if (record == nullptr) {
    return fmt::format(
        "handle {:#x} is not a live tensor: its scope has ended, or it was made in "
        "another launch; make it in a scope that is still open",
        tensor);
  }
  const uint64_t address = record->address;
  std::string memory = "no memory yet";
  if (record->external) {
    memory = fmt::format("external at {:#x}", address);
  } else if (record->has_address()) {
    memory = fmt::format("at {:#x}, allocated by task {} of ring {}", address,
                         local_of(record->owner.task), ring_of(record->owner.task).value);
  }
  return fmt::format("{} {} strides {}, {}, {}{}", data_type_name(record->dtype),
                     list(record->shape, record->ndims), list(record->strides, record->ndims),
                     record->is_contiguous() ? "contiguous" : "not contiguous", memory,
                     record->region.begin == 0
                         ? ""
                         : fmt::format(", {} bytes into its buffer", record->region.begin));
}

void TensorTable::scope_begin() {
  scope_marks_.push_back(count_);
  ++depth_;
}

void TensorTable::scope_end() {
  PTO2_INVARIANT("TT-P2", !scope_marks_.empty());
  most_ = std::max(most_, count_);
  count_ = scope_marks_.back();
  scope_marks_.pop_back();
  --depth_;
}

/// One more than there were may have been written, and refused. The first comes last, for that is
/// what the next table takes first.
void TensorTable::keep_memory() {
  const uint64_t written = uint64_t{std::max(most_, count_)} + 1;
  while (!memory_.empty()) {
    const uint64_t before = (memory_.size() - 1) * chunk_records;
    const uint64_t here = written - std::min(written, before);
    if (memory_.size() <= most_kept) memory_.back().keep_for_the_next(here);
    memory_.pop_back();
  }
}

/// False: there are as many records as handles can name.
[[gnu::noinline]] bool TensorTable::add_chunk() {
  if (room_ == max_records) return false;
  memory_.emplace_back(chunk_records);
  chunks_.push_back(memory_.back().span().data());
  room_ += chunk_records;
  return true;
}

inline TensorRecord* TensorTable::push(uint64_t& handle) {
  if (count_ == room_ && !add_chunk()) [[unlikely]]
    return nullptr;
  return &push_in_chunk(handle);
}

[[gnu::always_inline]] inline TensorRecord& TensorTable::push_in_chunk(uint64_t& handle) {
  const uint32_t index = count_;
  const uint32_t generation = generation_ + (generation_ == 0);
  generation_ = generation + 1;
  count_ = index + 1;
  TensorRecord& record = at(index);
  record.generation = generation;
  record.scope_depth = scope_depth();
  handle = uint64_t{generation} << 32 | index;
  return record;
}

TensorResult TensorTable::fail(std::string text) {
  error_ = std::move(text);
  return {0, error_.c_str()};
}

/// The whole call again.
[[gnu::noinline]] TensorResult TensorTable::make_in_next_chunk(uint64_t address,
                                                               const uint64_t* shape,
                                                               uint32_t ndims, DataType dtype) {
  if (!add_chunk()) return refuse_shape("make_tensor", shape, ndims, get_element_size(dtype));
  return make(address, shape, ndims, dtype);
}

TensorResult TensorTable::make(uint64_t address, const uint64_t* shape, uint32_t ndims,
                               DataType dtype) {
  static_assert(PTO_MAX_DIMS == 5);
  if (count_ == room_) [[unlikely]]
    return make_in_next_chunk(address, shape, ndims, dtype);
  switch (ndims) {
    case 1:
      return make_root<1>(address, shape, dtype);
    case 2:
      return make_root<2>(address, shape, dtype);
    case 3:
      return make_root<3>(address, shape, dtype);
    case 4:
      return make_root<4>(address, shape, dtype);
    case 5:
      return make_root<5>(address, shape, dtype);
    default:
      return refuse_shape("make_tensor", shape, ndims, get_element_size(dtype));
  }
}

/// A root that has its buffer when a task allocates it; or never, if that was to be external. The
/// key is that of the root, of which no two are the same while the TensorMap knows of them: the
/// address is given out again.
[[gnu::always_inline]] inline void TensorTable::await_buffer(TensorRecord& record,
                                                             bool null_external) {
  constexpr uint64_t no_address = uint64_t{1} << 63;
  record.address = 0;
  record.base = 0;
  record.external = false;
  record.null_external = null_external;
  record.lasts = false;
  record.own = {.key = no_address | uint64_t{record.generation} << 10,
                .bytes = record.region.end,
                .written = record.region.end};
  record.writes = &record.own;
}

/// A function for each number of dimensions, and what it calls comes last: so it has hardly a
/// register to save.
template <uint32_t ndims>
TensorResult TensorTable::make_root(uint64_t address, const uint64_t* shape, DataType dtype) {
  uint64_t handle = 0;
  TensorRecord& record = push_in_chunk(handle);
  const uint64_t element_size = get_element_size(dtype);
  if (element_size == 0 || !lay_out_dims<ndims>(record, shape, element_size, 0)) [[unlikely]]
    return refuse_root("make_tensor", &record, shape, ndims, element_size);
  record.owner = {};
  record.dtype = dtype;
  if (address != 0) [[unlikely]]
    return bind_external(record, address, handle);
  await_buffer(record, false);
  return {handle, nullptr};
}

/// The root was made last.
[[gnu::noinline]] TensorResult TensorTable::bind_external(TensorRecord& root, uint64_t address,
                                                          uint64_t handle) {
  if (address == PTO2_NULL_EXTERNAL) {
    await_buffer(root, true);
    return {handle, nullptr};
  }
  root.address = address;
  root.external = true;
  root.null_external = false;
  root.lasts = true;
  const uint64_t bytes = root.region.end;
  if (address > std::numeric_limits<uint64_t>::max() - bytes) [[unlikely]] {
    --count_;
    return fail(
        fmt::format("make_tensor: {} bytes at address {:#x} run past the end of the address "
                    "space; check the address and the shape",
                    bytes, address));
  }
  if (!arrays_.empty()) [[unlikely]] {
    if (const CallerArray* const array = arrays_.left_by(address, bytes)) {
      --count_;
      return refuse_array(*array, root);
    }
  }
  using Buffer = ExternalBuffers::Buffer;
  root.writes = nullptr;  // at no buffer that is taken in
  Buffer& buffer = externals_.at(
      address, bytes, [this](Buffer& known) { return is_needed(known); },
      [this](Buffer& all, Buffer& other) { take_in(all, other); });
  if (find(buffer.oldest_tensor) == nullptr) buffer.oldest_tensor = handle;
  root.writes = &buffer.writes;
  root.base = buffer.writes.key;
  root.region.shift(address - root.base);
  return {handle, nullptr};
}

/// A tensor of it lives, or somebody may have written it who has not retired.
bool TensorTable::is_needed(ExternalBuffers::Buffer& buffer) const {
  return find(buffer.oldest_tensor) != nullptr ||
         (map_ != nullptr && map_->find_writers(buffer.writes));
}

/// A tensor that is being made shares bytes with both.
[[gnu::noinline]] void TensorTable::take_in(ExternalBuffers::Buffer& buffer,
                                            ExternalBuffers::Buffer& other) {
  const uint64_t shift = other.writes.key - buffer.writes.key;
  if (map_ != nullptr) map_->take_in(buffer.writes, other.writes, shift);
  const auto place_of = [this](const ExternalBuffers::Buffer& of) {
    return find(of.oldest_tensor) == nullptr ? count_ : static_cast<uint32_t>(of.oldest_tensor);
  };
  for (uint32_t i = place_of(other); i < count_; ++i) {
    TensorRecord& record = at(i);
    if (record.writes != &other.writes) continue;
    record.writes = &buffer.writes;
    record.base = buffer.writes.key;
    record.region.shift(shift);
  }
  if (place_of(other) < place_of(buffer)) buffer.oldest_tensor = other.oldest_tensor;
}

TensorResult TensorTable::refuse_array(const CallerArray& array, const TensorRecord& root) {
  const uint64_t place = root.address - array.address;
  return fail(fmt::format(
      "make_tensor: {} of shape {} has {} bytes, but {} has {}{}; give the tensor the shape and "
      "the type of the array, or pass a larger array",
      data_type_name(root.dtype), list(root.shape, root.ndims), root.region.end, array.name,
      array.bytes,
      place == 0 ? "" : fmt::format(", and the tensor begins {} bytes behind its begin", place)));
}

TensorResult TensorTable::view(uint64_t tensor, const uint64_t* shape, const uint64_t* offsets) {
  const TensorRecord* parent = parent_for("view", tensor);
  if (parent == nullptr) return {0, error_.c_str()};
  for (uint32_t i = 0; i < parent->ndims; ++i) {
    const uint64_t extent = parent->shape[i];
    if (shape[i] == 0 || shape[i] > extent || offsets[i] > extent - shape[i]) {
      return refuse_view(*parent, shape, offsets);
    }
  }
  uint64_t handle = 0;
  TensorRecord* record = push(handle);
  if (record == nullptr) return refuse_shape("view", shape, parent->ndims, 1);
  record->base = parent->base;
  record->writes = parent->writes;
  record->owner = parent->owner;
  record->external = parent->external;
  record->lasts = parent->lasts;
  record->dtype = parent->dtype;
  record->ndims = parent->ndims;
  std::memcpy(record->shape, parent->shape, sizeof record->shape);
  std::memcpy(record->strides, parent->strides, sizeof record->strides);
  std::memcpy(record->axes, parent->axes, sizeof record->axes);
  record->region = parent->region;
  Region& region = record->region;
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t numel = 1;
  for (uint32_t i = 0; i < record->ndims; ++i) {
    record->shape[i] = static_cast<uint32_t>(shape[i]);
    first += offsets[i] * record->strides[i];
    last += (shape[i] - 1) * record->strides[i];
    numel *= shape[i];
    const uint32_t axis = record->axes[i];
    region.box_begin[axis] += static_cast<uint32_t>(offsets[i]);
    region.box_end[axis] = region.box_begin[axis] + record->shape[i];
  }
  region.begin += first * region.element_size;
  region.end = region.begin + (last + 1) * region.element_size;
  region.contiguous = last + 1 == numel;
  record->address = record->base + region.begin;
  return {handle, nullptr};
}

TensorResult TensorTable::reshape(uint64_t tensor, const uint64_t* shape, uint32_t ndims) {
  const TensorRecord* parent = parent_for("reshape", tensor);
  if (parent == nullptr) return {0, error_.c_str()};
  if (!parent->is_contiguous()) {
    return fail(
        fmt::format("reshape: the tensor of shape {} with strides {} is not contiguous; reshape "
                    "the whole tensor "
                    "first and take the view of the result",
                    list(parent->shape, parent->ndims), list(parent->strides, parent->ndims)));
  }
  uint64_t handle = 0;
  TensorRecord* record = push(handle);
  const uint64_t element_size = parent->region.element_size;
  if (record == nullptr || !lay_out_root(*record, shape, ndims, element_size, parent->region.begin))
      [[unlikely]] {
    return refuse_root("reshape", record, shape, ndims, element_size);
  }
  if (record->region.end != parent->region.end) {
    --count_;
    return fail(fmt::format(
        "reshape: shape {} has {} elements, but the tensor of shape {} has {}; the "
        "counts must be equal",
        list(shape, ndims), record->numel(), list(parent->shape, parent->ndims), parent->numel()));
  }
  record->base = parent->base;
  record->writes = parent->writes;
  record->address = record->base + record->region.begin;
  record->owner = parent->owner;
  record->external = parent->external;
  record->lasts = parent->lasts;
  record->dtype = parent->dtype;
  return {handle, nullptr};
}

TensorResult TensorTable::transpose(uint64_t tensor, uint32_t x, uint32_t y) {
  const TensorRecord* parent = parent_for("transpose", tensor);
  if (parent == nullptr) return {0, error_.c_str()};
  if (x >= parent->ndims || y >= parent->ndims) {
    return fail(
        fmt::format("transpose: dimensions {} and {} of a tensor of shape {}; they must be "
                    "below {}",
                    x, y, list(parent->shape, parent->ndims), parent->ndims));
  }
  uint64_t handle = 0;
  TensorRecord* record = push(handle);
  if (record == nullptr) return refuse_shape("transpose", nullptr, 0, 1);
  const uint32_t generation = record->generation;
  const uint32_t depth = record->scope_depth;
  *record = *parent;
  record->generation = generation;
  record->scope_depth = depth;
  std::swap(record->shape[x], record->shape[y]);
  std::swap(record->strides[x], record->strides[y]);
  std::swap(record->axes[x], record->axes[y]);
  return {handle, nullptr};
}

const TensorRecord* TensorTable::parent_for(const char* operation, uint64_t tensor) {
  const TensorRecord* parent = find(tensor);
  if (parent != nullptr && parent->has_address()) return parent;
  error_ = fmt::format("{}: ", operation);
  if (parent == nullptr) {
    error_ += describe(tensor);
  } else {
    error_ += fmt::format("the tensor of shape {} ", list(parent->shape, parent->ndims));
    error_ += parent->null_external
                  ? "is external, and its address is null; give make_tensor_external() memory"
                  : "has no memory yet; submit the task that takes it as OUTPUT first";
  }
  return nullptr;
}

/// Drops the record, if there is one, which was made last.
[[gnu::noinline]] TensorResult TensorTable::refuse_root(const char* operation,
                                                        const TensorRecord* record,
                                                        const uint64_t* shape, uint32_t ndims,
                                                        uint64_t element_size) {
  if (record != nullptr) --count_;
  return refuse_shape(operation, shape, ndims, element_size);
}

TensorResult TensorTable::refuse_shape(const char* operation, const uint64_t* shape, uint32_t ndims,
                                       uint64_t element_size) {
  if (count_ == max_records) {
    return fail(
        fmt::format("{}: {} tensors exist already; make tensors inside scopes, so that they "
                    "go when the scope ends",
                    operation, max_records));
  }
  if (ndims == 0 || ndims > PTO_MAX_DIMS) {
    return fail(
        fmt::format("{}: {} dimensions; a tensor has 1 to {}", operation, ndims, PTO_MAX_DIMS));
  }
  if (element_size == 0) return fail(fmt::format("{}: unknown data type", operation));
  for (uint32_t i = 0; i < ndims; ++i) {
    if (shape[i] == 0 || shape[i] > max_extent) {
      return fail(fmt::format("{}: extent {} of dimension {} in shape {}; it must be 1 to {}",
                              operation, shape[i], i, list(shape, ndims), max_extent));
    }
  }
  return fail(
      fmt::format("{}: shape {} with elements of {} bytes is too large; strides must fit 32 "
                  "bits in elements and the whole 63 bits in bytes",
                  operation, list(shape, ndims), element_size));
}

TensorResult TensorTable::refuse_view(const TensorRecord& parent, const uint64_t* shape,
                                      const uint64_t* offsets) {
  return fail(fmt::format(
      "view: {} elements at offset {} of a tensor of shape {}; in every dimension "
      "at least 1 element is needed and offset + extent must not exceed the "
      "tensor's",
      list(shape, parent.ndims), list(offsets, parent.ndims), list(parent.shape, parent.ndims)));
}

}  // namespace pto2
