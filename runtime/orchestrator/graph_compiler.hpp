/// From the calls of a recorded graph to its tensors, tasks and edges (recorded_graph.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/orchestrator/recorded_graph.hpp"

namespace pto2 {

class GraphCompiler : public PlayListener {
 public:
  /// What it fills in.
  struct Lists {
    std::vector<TensorRecord>& records;  ///< of tensors
    std::vector<RecordedTask>& tasks;
    std::vector<TaskId>& edges;
    std::vector<RecordedOutput>& outputs;
  };
  /// Of the tensors in the dataflow that it listens to.
  static constexpr uint32_t first_generation = 1;
  /// Tasks that are looked at, at most, to find whether paths of edges order two others.
  static constexpr uint32_t longest_search = 256;

  /// Producers and entries of the TensorMap that are looked at, at most, per task on the average.
  /// Where tasks that nothing orders write the same buffer again and again, or each its part of a
  /// large one, their number grows with the window.
  static constexpr uint64_t most_producers = 64;
  static constexpr uint64_t most_entries = 4096;
  /// Thrown while calls are played: more would have to be looked at.
  struct TooLarge {
    const char* text;
  };

  GraphCompiler(Dataflow& dataflow, Lists lists) : dataflow_(dataflow), lists_(lists) {}

  void made(const TensorRecord& tensor) override;
  void resolved(Submission& task, TaskId id) override;
  uint64_t address_of(const Submission&) override { return nowhere; }

 private:
  static constexpr uint64_t nowhere = uint64_t{1} << 46;

  void add(const Submission& task);
  void add_outputs(const Submission& task, TaskId id);
  void count(const Submission& task);
  void leave_out(Submission& task);
  void forget_covered(const Submission& task);
  [[nodiscard]] bool comes_behind(std::span<const TaskId> others, const Submission& task);
  void search(const Submission& task, uint64_t oldest);
  [[nodiscard]] bool was_met(TaskId id) const { return met_by_[number_of(id)] == searches_; }
  [[nodiscard]] uint64_t number_of(TaskId id) const {
    return numbers_[ring_of(id).value][local_of(id)];
  }

  Dataflow& dataflow_;
  Lists lists_;
  std::array<std::vector<uint64_t>, max_rings> numbers_;  ///< of tasks in the list, by local id
  std::vector<uint64_t> met_by_;  ///< by number: the last search that has met the task
  uint64_t searches_ = 0;
  uint64_t producers_seen_ = 0;
  uint64_t entries_seen_ = 0;
  std::vector<uint64_t> open_;   ///< of a search: tasks whose producers come next
  std::vector<TaskId> covered_;  ///< of forget_covered()
};

}  // namespace pto2
