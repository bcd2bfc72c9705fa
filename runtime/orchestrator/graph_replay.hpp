/// One run's way through a graph that was recorded: compares its calls with those of the tape, and
/// knows what follows from them.
///
/// take_..() is told of a call. True, or a handle: it is the next one of the tape, and has been
/// served. False, or 0: it is another; nothing was done, and the run leaves the graph.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/orchestrator/recorded_graph.hpp"

namespace pto2 {

class GraphReplay {
 public:
  /// `graph` has begun to be replayed by a run with tensors from `first_generation` on, and `zones`
  /// round its buffers.
  GraphReplay(RecordedGraph& graph, guard::RedZones zones, uint32_t first_generation)
      : graph_(graph),
        zones_(zones),
        offset_(uint64_t{first_generation} << 32),
        next_(graph.words().data()),
        tensors_(graph.tensors()) {}

  /// A call without operands.
  [[nodiscard]] bool take(CallKind kind) {
    if (*next_ != head_of(kind)) return false;
    ++next_;
    if (kind == CallKind::scope_begin) scope_marks_.push_back(live_.size());
    if (kind == CallKind::scope_end) {
      live_.resize(scope_marks_.back());
      scope_marks_.pop_back();
    }
    return true;
  }
  [[nodiscard]] uint64_t take_make(uint64_t address, const uint64_t* shape, uint32_t ndims,
                                   DataType dtype) {
    const uint64_t* const operands = next_ + 1;
    if (ndims > PTO_MAX_DIMS || *next_ != head_of_make(ndims, dtype) || operands[0] != address ||
        !std::equal(shape, shape + ndims, operands + 1)) {
      return 0;
    }
    next_ = operands + 1 + ndims;
    TensorRecord& tensor = tensors_[made_];
    tensor.base = tensor.external ? address : 0;
    return handle_of_made();
  }
  [[nodiscard]] uint64_t take_view(uint64_t parent, const uint64_t* shape,
                                   const uint64_t* offsets) {
    const uint64_t* const operands = next_ + 1;
    const uint32_t ndims = small_of(*next_);
    if (kind_of(*next_) != CallKind::view || operands[0] != parent - offset_ ||
        !std::equal(shape, shape + ndims, operands + 1) ||
        !std::equal(offsets, offsets + ndims, operands + 1 + ndims)) {
      return 0;
    }
    next_ = operands + 1 + 2 * ndims;
    return derive(operands[0]);
  }
  [[nodiscard]] uint64_t take_reshape(uint64_t parent, const uint64_t* shape, uint32_t ndims) {
    const uint64_t* const operands = next_ + 1;
    if (ndims > PTO_MAX_DIMS || *next_ != head_of(CallKind::reshape, ndims) ||
        operands[0] != parent - offset_ || !std::equal(shape, shape + ndims, operands + 1)) {
      return 0;
    }
    next_ = operands + 1 + ndims;
    return derive(operands[0]);
  }
  [[nodiscard]] uint64_t take_transpose(uint64_t parent, uint32_t x, uint32_t y) {
    const uint64_t* const operands = next_ + 1;
    if (*next_ != head_of(CallKind::transpose) || operands[0] != parent - offset_ ||
        operands[1] != (uint64_t{x} << 32 | y)) {
      return 0;
    }
    next_ = operands + 2;
    return derive(operands[0]);
  }
  /// Of a task that was accepted. Fills in what resolve() would have, but for the producers.
  [[nodiscard]] bool take_submission(const Request& request, Submission& task);
  /// The last submission has not become a task: it is the next call again.
  void take_back() { next_ = submission_; }
  /// The rest, given the oldest task alive of each ring: the producers that have not retired.
  void find_producers(Submission& task, const std::array<uint64_t, max_rings>& alive) const;
  /// As Dataflow::place(), but for the TensorMap; shows all parameters, a scalar by its value.
  template <class Show>
  void place(const Submission& task, const Needs&, TaskId id, uint64_t address, Show show) {
    const uint32_t allocates = graph_.task(task.serial - 1).allocates;
    address += zones_.in_front;
    for (uint32_t i = 0; i < task.params.size(); ++i) {
      if (task.params[i].type == PTOParamType::SCALAR) {
        show(task, i, task.params[i].scalar);
        continue;
      }
      if (allocates >> i & 1) {
        TensorRecord& tensor = tensors_[number_of(task.params[i].tensor.id - offset_)];
        tensor.base = tensor.address = address;
        tensor.owner = {id, task.serial, task.depth};
        address += packed_output_bytes(tensor.region.end + zones_.behind);
      }
      show(task, i, *task.tensors[i]);
    }
  }
  /// The live tensor of this handle; null: there is none.
  [[nodiscard]] const TensorRecord* find(uint64_t tensor) const {
    const uint64_t place = tensor & 0xffffffffU;
    if (place >= live_.size() || live_[place] != number_of(tensor - offset_)) return nullptr;
    return &tensors_[live_[place]];
  }

  /// Words of the calls that were taken.
  [[nodiscard]] std::size_t taken() const {
    return static_cast<std::size_t>(next_ - graph_.words().data());
  }
  /// How the next call of the tape, which is named by its number from 0, differs from this one.
  [[nodiscard]] std::string difference_from(const char* call) const;
  /// Where the buffers of a task begin that was submitted.
  [[nodiscard]] uint64_t address_of(const Submission& task) const;

 private:
  static uint64_t number_of(uint64_t relative_handle) { return relative_handle >> 32; }
  /// A handle is the number of the tensor, and its place among those that live (TensorTable).
  uint64_t handle_of_made() {
    const uint64_t place = live_.size();
    live_.push_back(made_);
    return (made_++ << 32 | place) + offset_;
  }
  /// The next tensor has the buffer of this one, and its owner, who is the same in all runs.
  uint64_t derive(uint64_t parent) {
    const TensorRecord& from = tensors_[number_of(parent)];
    TensorRecord& tensor = tensors_[made_];
    tensor.base = from.base;
    tensor.address = tensor.base + tensor.region.begin;
    return handle_of_made();
  }

  RecordedGraph& graph_;
  guard::RedZones zones_;
  uint64_t offset_;                       // of handles
  const uint64_t* next_;                  // call of the tape
  const uint64_t* submission_ = nullptr;  // the last one that was taken
  std::span<TensorRecord> tensors_;
  uint64_t made_ = 0;                        // tensors, so far
  std::vector<uint64_t> live_;               // numbers of those that live
  std::vector<std::size_t> scope_marks_{0};  // where the tensors of each begin
};

}  // namespace pto2
