/// The table behind the Tensor handles of an orchestration.
///
/// Records live on a stack that follows the scopes: scope_end() drops every record made since the
/// matching scope_begin(). A handle is generation << 32 | index; 0 is no tensor. Every record gets
/// a generation of its own, so a handle whose scope has ended, or that never was one, is recognised
/// by comparing, without touching what it pointed to; so is one of another table that started at
/// another generation. (Generations repeat after 2^32 records.)
///
///   TT-P1: what a kernel is shown has an address.
///   TT-P2: a scope that ends is open.
///   TT-P3: a tensor is given its buffer once, while its scope is open.
///   TT-P4: a buffer has an address.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "core/policy.hpp"
#include "core/task_id.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "runtime/tensormap/buffer_writes.hpp"
#include "runtime/tensormap/caller_arrays.hpp"
#include "runtime/tensormap/external_buffers.hpp"
#include "runtime/tensormap/region.hpp"

namespace pto2 {

class TensorMap;

/// The task whose heap block holds a buffer.
struct BufferOwner {
  TaskId task = no_task;  ///< no_task: the buffer is external, or there is none yet
  uint64_t serial = 0;    ///< of its submission
  uint32_t depth = 0;     ///< of its scope
};

/// One tensor: a root from make(), or a view, reshape or transpose of another. What kernels are
/// shown of it comes first; its address counts as soon as there is a buffer. It takes whole lines,
/// and a power of two of them, so that the place of one is found by a shift.
struct alignas(cache_line) TensorRecord : PTOTensor {
  uint64_t base;         ///< address of the buffer; 0: none yet
  BufferWrites* writes;  ///< to the buffer; while the tensor lives
  BufferOwner owner;
  uint32_t generation;         ///< upper half of the handle
  uint32_t scope_depth;        ///< open scopes when it was made
  uint8_t axes[PTO_MAX_DIMS];  ///< dimension of the region's box that each dimension runs in
  bool external;               ///< the caller owns the buffer
  bool null_external;          ///< of a root: it was to be so, but the address was null
  bool lasts;                  ///< the buffer is there for as long as the tensor: no need to look
  Region region;
  BufferWrites own;  ///< of a root or pipe whose buffer is its own: what `writes` leads to

  bool has_address() const { return base != 0; }
  /// Number of elements.
  uint64_t numel() const;
  /// Bytes of its elements. For a root this is the size of its buffer.
  uint64_t bytes() const { return numel() * region.element_size; }
  /// True when the elements lie in row-major order without gaps.
  bool is_contiguous() const;
  /// What a kernel sees. Requires an address.
  [[nodiscard]] const PTOTensor& shown() const {
    PTO2_INVARIANT("TT-P1", lasts || has_address());
    return *this;
  }
};

static_assert(sizeof(TensorRecord) == 4 * cache_line);

/// One line about the tensor of this handle, whose record was found, or about why it is none.
[[nodiscard]] std::string describe(uint64_t tensor, const TensorRecord* record);

/// A handle, or why there is none.
struct [[nodiscard]] TensorResult {
  uint64_t handle;    ///< 0 on error
  const char* error;  ///< what is wrong and what to do, kept by the table until its next error

  bool ok() const { return error == nullptr; }
};

class TensorTable {
 public:
  /// Tables whose handles might be mixed up should start at generations far apart. Tensors keep to
  /// the arrays that they begin in. `map`, which outlives the table, knows who writes the buffers;
  /// null: nobody does.
  explicit TensorTable(uint32_t first_generation = 1, std::span<const CallerArray> arrays = {},
                       TensorMap* map = nullptr)
      : map_(map), arrays_(arrays), generation_(first_generation) {}
  TensorTable(const TensorTable&) = delete;
  TensorTable& operator=(const TensorTable&) = delete;

  void scope_begin();
  /// Drops the records made since the matching scope_begin(). Requires an open scope.
  void scope_end();
  /// Now and then at the end of a scope: forgets the external buffers that nobody needs.
  void forget_external_buffers() {
    if (!externals_.are_many()) [[likely]]
      return;
    externals_.forget([this](ExternalBuffers::Buffer& buffer) { return is_needed(buffer); });
  }

  /// A root tensor of `shape` (ndims extents in elements, each 1..2^32-1, 1..PTO_MAX_DIMS of
  /// them). Address 0, or PTO2_NULL_EXTERNAL: it gets its buffer from set_buffer(). Errors:
  /// extents or row-major strides past 32 bits, 2^63 bytes or more, a range that ends past the
  /// address space, an unknown type, an array of the caller's that is
  /// too small.
  [[gnu::noinline]] TensorResult make(uint64_t address, const uint64_t* shape, uint32_t ndims,
                                      DataType dtype);
  /// The box of `shape` elements at `offsets`, one entry per dimension of `tensor`. Its strides
  /// are those of `tensor`. Errors: no address yet, an empty box, one that sticks out.
  TensorResult view(uint64_t tensor, const uint64_t* shape, const uint64_t* offsets);
  /// The same elements under another shape, in a space of its own. Errors: no address yet, not
  /// contiguous, another number of elements, or what make() refuses.
  TensorResult reshape(uint64_t tensor, const uint64_t* shape, uint32_t ndims);
  /// Dimensions x and y exchanged. Errors: no address yet, no such dimension.
  TensorResult transpose(uint64_t tensor, uint32_t x, uint32_t y);

  /// The record behind a handle; nullptr when the handle is 0, stale or foreign. It stays where
  /// it is until its scope ends.
  const TensorRecord* find(uint64_t tensor) const {
    const uint64_t index = tensor & 0xffffffffU;
    if (index >= count_) return nullptr;
    const TensorRecord& record = at(static_cast<uint32_t>(index));
    return record.generation == tensor >> 32 ? &record : nullptr;
  }
  TensorRecord* find(uint64_t tensor) {
    return const_cast<TensorRecord*>(std::as_const(*this).find(tensor));
  }
  /// Gives a tensor from make(0, ..) its buffer, which task `owner` allocated. Requires a live
  /// handle of a tensor without an address, and an address other than 0.
  void set_buffer(uint64_t tensor, uint64_t address, const BufferOwner& owner) {
    TensorRecord* const record = find(tensor);
    PTO2_INVARIANT("TT-P3", record != nullptr);
    set_buffer(*record, address, owner);
  }
  /// The same of its record.
  static void set_buffer(TensorRecord& record, uint64_t address, const BufferOwner& owner) {
    PTO2_INVARIANT("TT-P3", !record.has_address());
    PTO2_INVARIANT("TT-P4", address != 0);
    record.base = address;
    record.address = address;  // a root begins where its buffer does
    record.owner.task = owner.task;
    record.owner.serial = owner.serial;
    record.owner.depth = owner.depth;
    record.own.owner = owner.task;
    record.lasts = owner.depth < record.scope_depth;
  }

  /// The line of describe().
  [[nodiscard]] std::string describe(uint64_t tensor) const {
    return pto2::describe(tensor, find(tensor));
  }

  /// After a run that ended well, and the last of all calls: lets the next one have the memory, but
  /// for what only a table that large needs.
  void keep_memory();

  uint32_t size() const { return count_; }
  /// External buffers that are known.
  std::size_t external_buffers() const { return externals_.size(); }
  uint32_t scope_depth() const { return depth_; }

  /// Most records that can exist at the same time.
  static constexpr uint32_t max_records = uint32_t{1} << 31;

 private:
  static constexpr uint32_t chunk_bits = 9;
  static constexpr uint32_t chunk_records = uint32_t{1} << chunk_bits;
  static_assert(max_records % chunk_records == 0);
  /// Records that nobody has written: most tables use few, and making a chunk touches none.
  static_assert(std::is_aggregate_v<TensorRecord> && std::is_trivially_destructible_v<TensorRecord>,
                "a record begins when it is first written");
  using Chunk = MappedArray<TensorRecord>;
  /// Chunks, 1 MiB in all: more would take the room of the rings' arrays.
  static constexpr std::size_t most_kept = 8;

  TensorRecord& at(uint32_t index) const {
    return chunks_[index >> chunk_bits][index & (chunk_records - 1)];
  }
  TensorRecord* push(uint64_t& handle);
  TensorRecord& push_in_chunk(uint64_t& handle);
  template <uint32_t ndims>
  [[gnu::noinline]] TensorResult make_root(uint64_t address, const uint64_t* shape, DataType dtype);
  TensorResult make_in_next_chunk(uint64_t address, const uint64_t* shape, uint32_t ndims,
                                  DataType dtype);
  static void await_buffer(TensorRecord& record, bool null_external);
  TensorResult bind_external(TensorRecord& root, uint64_t address, uint64_t handle);
  [[nodiscard]] bool is_needed(ExternalBuffers::Buffer& buffer) const;
  void take_in(ExternalBuffers::Buffer& buffer, ExternalBuffers::Buffer& other);
  TensorResult refuse_array(const CallerArray& array, const TensorRecord& root);
  [[nodiscard]] bool add_chunk();
  TensorResult fail(std::string text);
  TensorResult refuse_root(const char* operation, const TensorRecord* record, const uint64_t* shape,
                           uint32_t ndims, uint64_t element_size);
  TensorResult refuse_shape(const char* operation, const uint64_t* shape, uint32_t ndims,
                            uint64_t element_size);
  TensorResult refuse_view(const TensorRecord& parent, const uint64_t* shape,
                           const uint64_t* offsets);
  /// The parent of a view, reshape or transpose; nullptr, with error_ set, when it cannot be one.
  const TensorRecord* parent_for(const char* operation, uint64_t tensor);

  TensorMap* const map_;
  std::vector<Chunk> memory_;
  std::vector<TensorRecord*> chunks_;  // the records in each
  std::vector<uint32_t> scope_marks_;
  uint32_t depth_ = 0;  // how many those are
  ExternalBuffers externals_;
  CallerArrays arrays_;
  uint32_t count_ = 0;
  uint32_t most_ = 0;    ///< that there were at the end of a scope
  uint32_t room_ = 0;    ///< records of the chunks
  uint32_t generation_;  ///< of the next record
  std::string error_;
};

}  // namespace pto2
