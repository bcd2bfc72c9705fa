/// A task graph as plain data: the calls that an orchestration makes, in order.
///
/// Tensors are named by number: the n-th step that makes one makes tensor n. Tasks are numbered by
/// their submission, groups by their allocation. The steps run inside the outer scope that the
/// runtime opens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/chip/chip.hpp"
#include "runtime/include/pto_types.h"

namespace pto2::graphs {

/// What a task does with one of its tensors.
enum class Use : uint8_t {
  input,
  output,
  allocate,  ///< an OUTPUT that the kernel leaves unwritten: memory for others to fill
  inout,
};

constexpr bool reads(Use use) {
  return use == Use::input || use == Use::inout;
}
/// True for what the runtime records as a write.
constexpr bool records(Use use) {
  return use != Use::input;
}
/// True for what the kernel writes.
constexpr bool writes(Use use) {
  return use == Use::output || use == Use::inout;
}

struct Param {
  uint32_t tensor;
  Use use;
};

/// One entry per dimension, in elements.
using Extents = std::vector<uint64_t>;

struct ScopeBegin {};
struct ScopeEnd {};
struct Make {
  DataType dtype;
  Extents shape;
};
/// A tensor at the start of an external buffer.
struct External {
  uint32_t buffer;
  DataType dtype;
  Extents shape;
};
struct View {
  uint32_t of;
  Extents shape;
  Extents offsets;
};
struct Reshape {
  uint32_t of;
  Extents shape;
};
struct Transpose {
  uint32_t of;
  uint32_t x;
  uint32_t y;
};
/// Opens a group on a cluster, in the innermost scope.
struct Allocate {};
struct Free {
  uint32_t group;
};
/// What a task does with a pipe, once.
enum class PipeStep : uint8_t {
  push,
  pop,
  release,    ///< of the oldest entry that was popped
  oversized,  ///< a push of more bytes than a slot has
};
struct PipeSizes {
  uint32_t capacity = 0;  ///< slots
  uint32_t slot_bytes = 0;
  friend bool operator==(const PipeSizes&, const PipeSizes&) = default;
};
/// A pipe of the group that the task joins.
struct PipeParam {
  int32_t tag = 0;
  bool out = true;                      ///< which side it names: that means nothing
  std::optional<PipeSizes> sizes = {};  ///< that it says
  std::vector<PipeStep> steps = {};
};
struct Submit {
  CoreType core = CoreType::vector;
  uint32_t length = 0;  ///< of the kernel, in steps that let other threads go on
  std::vector<Param> params = {};
  std::optional<uint32_t> group = {};  ///< that it joins; not of a block task
  uint32_t block_dim = 0;              ///< parts of a block task; 0: none
  /// Of a block task whose parts are pinned: the group of each; else empty.
  std::vector<uint32_t> part_groups = {};
  std::vector<PipeParam> pipes = {};  ///< behind the tensors
};

/// What an orchestration does wrong without naming a tensor or a group.
enum class Misuse : uint8_t {
  unknown_kernel,
  unknown_worker,
  task_after_done,
  scope_end_too_many,  ///< after ending all scopes
  exception,
  unknown_exception,
  // About clusters and block tasks.
  cluster_too_low,
  cluster_too_high,  ///< the first that the chip does not have
  free_any_core,     ///< -1, which is no cluster
  part_too_high,     ///< one part of a block task on a cluster that the chip does not have
  no_parts,
  too_many_parts,
  unallocated,       ///< a task on cluster 0, with no group open
  free_unallocated,  ///< the same with cluster 0 itself
};
/// Those that need no clusters, which come first, and all.
inline constexpr uint64_t plain_misuses = 6;
inline constexpr uint64_t misuses = 14;

using Step = std::variant<ScopeBegin, ScopeEnd, Make, External, View, Reshape, Transpose, Submit,
                          Misuse, Allocate, Free>;

struct Program {
  std::vector<uint64_t> external_bytes;  ///< sizes of the external buffers
  std::vector<Step> steps;
};

/// True for a step that makes a tensor.
bool makes_tensor(const Step& step);

/// One line per step.
std::string to_string(const Program& program);

}  // namespace pto2::graphs
