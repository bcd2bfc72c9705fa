/// Memory for the arguments of the tasks of one ring: as many lines as a task has arguments, in
/// chunks that are used again as soon as their tasks are reclaimed. So a run touches no more memory
/// than the tasks that are alive at a time need, however large the window is.
///
/// Chunks follow each other in the order of the tasks. One that is full is kept in a queue with the
/// last task in it; a new one is the oldest of the queue, if that task is reclaimed, or else memory
/// that was never used.
///
///   AB-I1: a chunk is given out anew after the last task in it was reclaimed.
///   AB-I2: there is memory for any tasks that are alive at a time.
///   AB-P1: a task has at most max_params parameters.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "core/assert.hpp"
#include "runtime/chip/task_arguments.hpp"
#include "runtime/executors/mapped_array.hpp"

namespace pto2 {

class ArgumentBlocks {
 public:
  /// For a ring of `window` slots. Throws std::bad_alloc.
  explicit ArgumentBlocks(uint32_t window);

  /// Whether there is room for the lines of so many parameters. AB-P1
  [[nodiscard]] bool has_room(uint32_t params) const {
    return static_cast<std::size_t>(end_ - next_) >= extent_of(params).bytes;
  }
  /// If there is none: makes room before the ring's next task, which has this local id; of those
  /// below `alive` no more is used.
  void make_room(uint64_t local, uint64_t alive);
  /// The lines of the ring's next task, for which there is room. Their content is what a former
  /// task left.
  [[nodiscard]] TaskArguments take(uint32_t params) {
    const Extent& extent = extent_of(params);
    std::byte* const begin = next_;
    next_ += extent.bytes;
    return TaskArguments(begin + extent.in_front);
  }
  /// Where the next task's lines are, if they fit into its chunk; in the memory of the blocks.
  [[nodiscard]] const std::byte* next() const { return next_; }

  static constexpr std::size_t bytes_of(uint32_t params) { return extents[params].bytes; }
  static constexpr std::size_t chunk_bytes = 8192;
  /// No task uses the arguments any more: the next run may have the memory.
  void keep_memory();
  /// Chunks that were ever used.
  [[nodiscard]] std::size_t chunks() const { return used_; }

 private:
  /// Of the lines of one task.
  struct Extent {
    uint16_t bytes;
    uint16_t in_front;  ///< of its PTOCall
  };
  /// By the number of its parameters.
  static constexpr std::array<Extent, max_params + 1> extents = [] {
    std::array<Extent, max_params + 1> result{};
    for (uint32_t params = 0; params <= max_params; ++params) {
      const std::size_t in_front = TaskArguments::bytes_in_front(params);
      const std::size_t bytes = in_front + TaskArguments::bytes_behind(params);
      result[params] = {static_cast<uint16_t>(bytes), static_cast<uint16_t>(in_front)};
    }
    return result;
  }();

  /// A chunk that is full.
  struct Full {
    std::byte* begin;
    uint64_t last;  ///< local id of the last task in it
  };

  static const Extent& extent_of(uint32_t params) {
    PTO2_INVARIANT("AB-P1", params <= max_params);
    return extents[params];
  }
  static std::size_t most_chunks(uint32_t window);

  MappedBytes memory_;
  std::deque<Full> full_;
  std::size_t used_;
  std::byte* next_;
  std::byte* end_;  // of the chunk
};

}  // namespace pto2
