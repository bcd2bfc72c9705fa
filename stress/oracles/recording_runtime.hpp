/// A runtime that only writes down what an orchestration asks for, as a program for the counting
/// oracle. It knows nothing of the TensorMap: an entry is a whole buffer, or a box of it, which is
/// exact for orchestrations whose boxes are the same or apart, such as batch paged attention. So it
/// is for memory of the caller's whose tensors begin at the same address, or share no byte.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/include/pto_orchestration_api.h"
#include "stress/oracles/caller_buffers.hpp"
#include "stress/oracles/counting_oracle.hpp"
#include "stress/oracles/recorded_task.hpp"

namespace pto2::oracle {

class RecordingRuntime : public PTO2Runtime {
 public:
  /// For a device with so many rings.
  explicit RecordingRuntime(uint32_t rings = 4) : PTO2Runtime{&table}, rings_(rings) {}

  /// What was asked for so far.
  [[nodiscard]] const oracle::Program& program() const { return program_; }
  /// Whether the program is all that was asked for: no group or pipe, no mistake, and no box that
  /// overlaps another one that is written.
  [[nodiscard]] bool is_exact() const { return boxes_are_apart() && !has_groups_; }
  /// What its tasks depend on, but for pipes. Only if boxes_are_apart().
  [[nodiscard]] const std::vector<RecordedTask>& tasks() const { return tasks_; }
  /// Whether no box overlaps another one that is written. Of an orchestration that makes a mistake,
  /// which is for a run to refuse, nothing is known.
  [[nodiscard]] bool boxes_are_apart() const {
    return boxes_are_apart_ && !has_mistakes_ && !writes_shared_bytes();
  }
  [[nodiscard]] bool has_pipes() const { return has_pipes_; }
  void scope_begin();
  void scope_end();

 private:
  /// Where the elements of a buffer lie: in two layouts the same numbers are other bytes.
  struct Layout {
    std::vector<uint64_t> inner;  ///< extents of the axes behind the first
    uint64_t element_bytes = 0;
    auto operator<=>(const Layout&) const = default;
  };
  /// Elements of a buffer, and who wrote them last.
  struct Box {
    Layout layout;
    std::vector<uint64_t> begin;
    std::vector<uint64_t> extent;
    size_t group;  ///< of its buffer's
    std::vector<size_t> writers = {};
    std::optional<size_t> reader = {};  ///< the last since the last of those
    size_t written = 0;   ///< the how manieth of its buffer's to be written, 0: it was not
    size_t compared = 0;  ///< with so many of those
  };
  /// Boxes of the same extents in one layout.
  struct Group {
    std::map<std::vector<uint64_t>, size_t> boxes;  ///< by where they begin
    std::vector<size_t> written;                    ///< in this order
    bool is_grid = true;  ///< all begin at multiples of their extents: no two overlap
  };
  struct Buffer {
    uint64_t bytes = 0;  ///< of an external one, as it was made last
    uint64_t address = 0;
    bool allocated_here = false;
    size_t allocator = 0;
    std::vector<Box> boxes;
    size_t written = 0;  ///< of those
    std::vector<Group> groups;
    std::map<std::pair<Layout, std::vector<uint64_t>>, size_t> sizes;  ///< of which group each is
  };
  struct Handle {
    /// In the order of its axes, without gaps.
    void lay_out(const uint64_t* shapes, uint32_t count);
    /// As TensorRecord::is_contiguous().
    [[nodiscard]] bool is_contiguous() const;

    size_t buffer = 0;
    size_t box = 0;
    uint32_t ndims = 0;
    uint64_t elements = 0;
    uint64_t element_bytes = 0;
    bool has_axes = true;  ///< those of its buffer
    std::array<uint64_t, PTO_MAX_DIMS> shape = {};
    std::array<uint64_t, PTO_MAX_DIMS> strides = {};  ///< in elements
  };
  struct Scope {
    std::vector<size_t> tasks;
    std::vector<int32_t> clusters;  ///< that were allocated in it, whether they are open or not
  };

  static const PTO2RuntimeOps table;
  static RecordingRuntime& of(PTO2Runtime* rt) { return *static_cast<RecordingRuntime*>(rt); }
  static void log(PTO2Runtime* rt, int32_t level, const char* format, ...)
      __attribute__((format(printf, 3, 4)));

  uint64_t make(uint64_t address, const uint64_t* shapes, uint32_t ndims, DataType dtype);
  uint64_t view(uint64_t tensor, const uint64_t* shapes, const uint64_t* offsets);
  uint64_t reshape(uint64_t tensor, const uint64_t* shapes, uint32_t ndims);
  uint64_t transpose(uint64_t tensor, uint32_t x, uint32_t y);
  /// Whether a tensor may have so many dimensions; it is a mistake if not.
  [[nodiscard]] bool may_have(uint32_t ndims);
  /// Whether a parameter is no tensor, or one that there is.
  [[nodiscard]] bool knows(const PTOParam& param);
  size_t find_or_add(Buffer& buffer, const Layout& layout, std::vector<uint64_t> begin,
                     std::vector<uint64_t> extent);
  /// Handle 0 if there is no such tensor, which is a mistake.
  [[nodiscard]] const Handle& handle_of(uint64_t tensor);
  /// Whether the orchestration may end a scope: the outermost is none of its own.
  [[nodiscard]] bool has_inner_scope() const { return scopes_.size() > 1; }
  /// Whether a buffer of the caller's is written that shares bytes with one that begins elsewhere.
  [[nodiscard]] bool writes_shared_bytes() const;
  /// A box with those that were written since it was compared last.
  void compare(Buffer& buffer, Box& box);
  /// The box of a parameter that a task reads or writes.
  Box& use(const PTOParam& param);
  /// The lowest without an open group, as on a device that has enough of them.
  int32_t allocate_cluster();
  /// False if it is not open.
  bool close_cluster(int32_t cluster);
  void submit(const PTOParam* params, uint32_t count);
  void read(const PTOParam& param, std::set<size_t>& producers, oracle::Call& call);
  void take_place(const PTOParam& param, const std::set<size_t>& producers, oracle::Call& call);

  uint32_t rings_;
  std::vector<Buffer> buffers_;
  CallerBuffers external_;
  std::vector<Handle> handles_{{}};  ///< handle 0 is none
  oracle::Program program_;
  std::vector<RecordedTask> tasks_;
  std::vector<Scope> scopes_;          ///< that are open
  std::set<int32_t> clusters_;         ///< with an open group
  std::set<int32_t> closed_clusters_;  ///< that had one
  bool boxes_are_apart_ = true;
  bool has_mistakes_ = false;
  bool has_groups_ = false;
  bool has_pipes_ = false;
};

}  // namespace pto2::oracle
