/// One run's way through a graph that was recorded: compares its calls with those of the tape, and
/// knows what follows from them.
///
/// take_..() is told of a call. True, or a handle: it is the next one of the tape, and has been
/// served. False, or 0: it is another, and the run leaves the graph.
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
  /// `graph` has begun to be replayed by a run with tensors from `first_generation` on.
  GraphReplay(RecordedGraph& graph, uint32_t first_generation)
      : graph_(graph),
        offset_(uint64_t{first_generation} << 32),
        next_(graph.words().data()),
        tensors_(graph.tensors()),
        records_(graph.records()) {}

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
        !are_equal(shape, operands + 1, ndims)) {
      return 0;
    }
    next_ = operands + 1 + ndims;
    return handle_of_made();
  }
  [[nodiscard]] uint64_t take_view(uint64_t parent, const uint64_t* shape,
                                   const uint64_t* offsets) {
    const uint64_t* const operands = next_ + 1;
    const uint32_t ndims = small_of(*next_);
    if (kind_of(*next_) != CallKind::view || operands[0] != parent - offset_ ||
        !are_equal(shape, operands + 1, ndims) ||
        !are_equal(offsets, operands + 1 + ndims, ndims)) {
      return 0;
    }
    next_ = operands + 1 + 2 * ndims;
    return derive(operands[0]);
  }
  [[nodiscard]] uint64_t take_reshape(uint64_t parent, const uint64_t* shape, uint32_t ndims) {
    const uint64_t* const operands = next_ + 1;
    if (ndims > PTO_MAX_DIMS || *next_ != head_of(CallKind::reshape, ndims) ||
        operands[0] != parent - offset_ || !are_equal(shape, operands + 1, ndims)) {
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
  /// Of a task that was accepted. True: what Dataflow::resolve() fills in was, given the oldest
  /// task alive of each ring; show() and meet() are called as there.
  template <class Show, class Meet>
  [[nodiscard]] bool take_submission(const Request& request, Submission& task,
                                     const std::array<uint64_t, max_rings>& alive, Show show,
                                     Meet meet);
  /// The last submission has not become a task: it is the next call again.
  void take_back() { next_ = submission_; }
  /// As Dataflow::place(), but for the TensorMap.
  template <class Show>
  void place(const Submission& task, const Needs&, TaskId, uint64_t address, Show show) {
    for (const RecordedOutput& output : graph_.outputs(graph_.task(task.serial - 1))) {
      PlacedTensor& tensor = tensors_[output.tensor];
      tensor.base = tensor.address = address + output.offset;
      show(task, output.param, tensor);
    }
  }
  /// For who looks at the records of the task's tensors: gives them their places in this run.
  void update_records(const Submission& task) const {
    for (uint32_t i = 0; i < task.params.size(); ++i) {
      if (task.params[i].type == PTOParamType::SCALAR) continue;
      (void)record_of(static_cast<uint64_t>(task.tensors[i] - records_.data()));
    }
  }
  /// The live tensor of this handle; null: there is none.
  [[nodiscard]] const TensorRecord* find(uint64_t tensor) const {
    const uint64_t place = tensor & 0xffffffffU;
    if (place >= live_.size() || live_[place] != number_of(tensor - offset_)) return nullptr;
    return &record_of(live_[place]);
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
  /// For few words: a call of memcmp() takes longer than they do.
  static bool are_equal(const uint64_t* a, const uint64_t* b, uint32_t words) {
    for (uint32_t i = 0; i < words; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  static uint64_t number_of(uint64_t relative_handle) { return relative_handle >> 32; }
  /// A handle is the number of the tensor, and its place among those that live (TensorTable).
  uint64_t handle_of_made() {
    const uint64_t place = live_.size();
    live_.push_back(made_);
    return (made_++ << 32 | place) + offset_;
  }
  /// The next tensor has the buffer of this one, and its place in that.
  uint64_t derive(uint64_t parent) {
    PlacedTensor& tensor = tensors_[made_];
    const uint64_t offset = tensor.address - tensor.base;
    tensor.base = tensors_[number_of(parent)].base;
    tensor.address = tensor.base + offset;
    return handle_of_made();
  }
  /// With its place in this run, if it has one by now.
  const TensorRecord& record_of(uint64_t number) const {
    TensorRecord& record = records_[number];
    const bool was_allocated = record.owner.task != no_task && record.owner.serial <= tasks_;
    if (!record.external) record.base = was_allocated ? tensors_[number].base : 0;
    record.address = tensors_[number].address;
    return record;
  }

  RecordedGraph& graph_;
  uint64_t offset_;                       // of handles
  const uint64_t* next_;                  // call of the tape
  const uint64_t* submission_ = nullptr;  // the last one that was taken
  std::span<PlacedTensor> tensors_;
  std::span<TensorRecord> records_;          // of the same; up to date where record_of() was called
  uint64_t tasks_ = 0;                       // submitted, the last one that was taken among them
  uint64_t made_ = 0;                        // tensors, so far
  std::vector<uint64_t> live_;               // numbers of those that live
  std::vector<std::size_t> scope_marks_{0};  // where the tensors of each begin
};

template <class Show, class Meet>
[[gnu::always_inline]] inline bool GraphReplay::take_submission(
    const Request& request, Submission& task, const std::array<uint64_t, max_rings>& alive,
    Show show, Meet meet) {
  const uint64_t* const operands = next_ + 1;
  if (*next_ != head_of(request) || operands[0] != parts_word(request)) [[unlikely]]
    return false;
  const RecordedTask& recorded = graph_.task(task.serial - 1);
  const uint64_t* word = operands + 2;
  uint64_t types = operands[1];
  const auto count = static_cast<uint32_t>(request.params.size());
  const PTOParam* param = request.params.data();
  for (uint32_t i = 0; i < count; ++i, ++param, types >>= type_bits) {
    if (static_cast<uint64_t>(param->type) != (types & type_mask)) [[unlikely]]
      return false;
    if (param->type == PTOParamType::SCALAR) {
      show(task, i, param->scalar);
      continue;
    }
    const uint64_t tensor = *word++;
    if (param->tensor.id - offset_ != tensor) [[unlikely]]
      return false;
    task.tensors[i] = &records_[number_of(tensor)];
    if ((recorded.allocates >> i & 1) == 0) show(task, i, tensors_[number_of(tensor)]);
  }
  submission_ = std::exchange(next_, word);
  tasks_ = task.serial;
  task.name_nothing();
  task.heap_bytes = recorded.heap_bytes;
  for (const TaskId producer : graph_.producers(recorded)) {
    if (local_of(producer) < alive[ring_of(producer).value]) continue;
    meet(task, producer);
    task.producers.push_back(producer);
  }
  task.owners.append(graph_.owners(recorded));
  return true;
}

}  // namespace pto2
