#include "runtime/orchestrator/graph_compiler.hpp"

#include <algorithm>
#include <utility>

namespace pto2 {

void GraphCompiler::made(const TensorRecord& tensor) {
  lists_.records.push_back(tensor);
  lists_.records.back().writes = nullptr;  // nothing is looked up with these
}

void GraphCompiler::resolved(Submission& task, TaskId id) {
  count(task);
  leave_out(task);
  forget_covered(task);
  numbers_[ring_of(id).value].push_back(lists_.tasks.size());
  met_by_.push_back(0);
  add(task);
  add_outputs(task, id);
}

/// A graph of few tasks may have as many as it likes.
void GraphCompiler::count(const Submission& task) {
  constexpr uint64_t few_tasks = 1024;
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    if (task.params[i].type == PTOParamType::SCALAR) continue;
    entries_seen_ += dataflow_.map().entries_beside(*task.tensors[i]->writes);
  }
  producers_seen_ += task.producers.size();
  const uint64_t tasks = lists_.tasks.size() + few_tasks;
  if (producers_seen_ > most_producers * tasks) {
    throw TooLarge{"it has too many writers that nothing orders"};
  }
  if (entries_seen_ > most_entries * tasks) throw TooLarge{"it writes too many parts of buffers"};
}

void GraphCompiler::add(const Submission& task) {
  RecordedTask recorded;
  recorded.first_edge = lists_.edges.size();
  recorded.producers = static_cast<uint32_t>(task.producers.size());
  recorded.owners = static_cast<uint32_t>(task.owners.size());
  recorded.heap_bytes = task.heap_bytes;
  recorded.first_output = lists_.outputs.size();
  recorded.outputs = task.outputs.size();
  for (const NewOutput& output : task.outputs) recorded.allocates |= 1u << output.param;
  lists_.edges.insert(lists_.edges.end(), task.producers.begin(), task.producers.end());
  lists_.edges.insert(lists_.edges.end(), task.owners.begin(), task.owners.end());
  lists_.tasks.push_back(recorded);
}

/// Their owner is the same in all runs.
void GraphCompiler::add_outputs(const Submission& task, TaskId id) {
  for (const NewOutput& output : task.outputs) {
    const uint64_t handle = task.params[output.param].tensor.id;
    const auto number = static_cast<uint32_t>(handle >> 32) - first_generation;
    lists_.outputs.push_back({output.param, number, output.offset});
    lists_.records[number].owner = {id, task.serial, task.depth};
  }
}

/// Meets tasks that the producers of `task` depend on, from `oldest` on: each then has the number
/// of this search in met_by_. Ends early rather than late.
void GraphCompiler::search(const Submission& task, uint64_t oldest) {
  ++searches_;
  open_.clear();
  for (const TaskId producer : task.producers) open_.push_back(number_of(producer));
  for (uint32_t looked_at = 0; !open_.empty() && looked_at < longest_search; ++looked_at) {
    const RecordedTask& next = lists_.tasks[open_.back()];
    open_.pop_back();
    for (uint32_t i = 0; i < next.producers; ++i) {
      const uint64_t number = number_of(lists_.edges[next.first_edge + i]);
      if (number < oldest || std::exchange(met_by_[number], searches_) == searches_) continue;
      open_.push_back(number);
    }
  }
}

/// Edges beside which others order the tasks. Those to the owners of what the task uses stay: they
/// hold the buffers.
void GraphCompiler::leave_out(Submission& task) {
  if (task.producers.size() < 2) return;
  const auto is_needed = [&](TaskId id) {
    for (uint32_t i = 0; i < task.params.size(); ++i) {
      const bool is_scalar = task.params[i].type == PTOParamType::SCALAR;
      if (!is_scalar && task.tensors[i]->owner.task == id) return true;
    }
    return false;
  };
  uint64_t oldest = lists_.tasks.size();
  for (const TaskId id : task.producers) {
    if (!is_needed(id)) oldest = std::min(oldest, number_of(id));
  }
  if (oldest == lists_.tasks.size()) return;
  search(task, oldest);
  task.producers.erase_if([&](TaskId id) { return was_met(id) && !is_needed(id); });
}

/// What the task writes over without having read it, if all of that was written by tasks that it
/// is ordered behind: who reads it depends on this task then, and so on them.
void GraphCompiler::forget_covered(const Submission& task) {
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    if (task.params[i].type != PTOParamType::OUTPUT || !task.tensors[i]->has_address()) continue;
    const TensorRecord& tensor = *task.tensors[i];
    covered_.clear();
    dataflow_.map().lookup(*tensor.writes, tensor.region, Access::input, tensor.writes->reader,
                           [&](const Match& match) {
                             const bool stays = match.producer == tensor.writes->owner;
                             if (match.relation == Relation::covered && !stays)
                               covered_.push_back(match.producer);
                           });
    if (covered_.empty() || !comes_behind(covered_, task)) continue;
    dataflow_.map().lookup(*tensor.writes, tensor.region, Access::inout, no_task,
                           [](const Match&) {});
  }
}

/// True: paths of edges order the task behind all of these.
bool GraphCompiler::comes_behind(std::span<const TaskId> others, const Submission& task) {
  uint64_t oldest = lists_.tasks.size();
  for (const TaskId id : others) oldest = std::min(oldest, number_of(id));
  search(task, oldest);
  return std::ranges::all_of(others,
                             [&](TaskId id) { return was_met(id) || task.producers.contains(id); });
}

}  // namespace pto2
