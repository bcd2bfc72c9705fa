/// The definitions behind orchestrator.hpp: the steps of one submission.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/orchestrator/orchestrator.hpp"

namespace pto2 {

inline bool reads(PTOParamType type) {
  return type == PTOParamType::INPUT || type == PTOParamType::INOUT;
}
/// Submissions between two looks at the watermarks, whose lines belong to the schedulers.
constexpr uint64_t observation_interval = 16;

/// Slots whose lines are fetched from the schedulers' caches before they are taken.
constexpr uint64_t slots_ahead = 4;

inline bool writes(PTOParamType type) {
  return type == PTOParamType::OUTPUT || type == PTOParamType::INOUT;
}

template <class P, template <class> class F>
void Orchestrator<P, F>::submit_task(int32_t kernel_id, int32_t worker_type, const PTOParam* params,
                                     uint32_t count) {
  if (mode_ == Mode::stopped) return;
  Submission task;
  task.params = {params, count};
  if (!check(task, kernel_id, worker_type)) return;
  if (mode_ == Mode::running) {
    if (submitted_ % observation_interval == 0) state_.admission.observe();
    map_.sync(state_.admission.alive());
  } else {
    observe_counted_watermarks(task.ring);
  }
  find_producers(task);
  find_owners(task);
  if (mode_ == Mode::running && reserve(task)) return commit(task);
  if (mode_ == Mode::counting) count_only(task);
}

template <class P, template <class> class F>
bool Orchestrator<P, F>::check(Submission& task, int32_t kernel_id, int32_t worker_type) {
  const auto refuse = [&](std::string problem, const char* hint) {
    fail(ErrorCode::bad_submission, fmt::format("submission {}: {}", submitted_, problem), hint);
    return false;
  };
  const auto known = static_cast<uint32_t>(input_.kernels.size());
  if (static_cast<uint32_t>(kernel_id) >= known || input_.kernels[kernel_id] == nullptr) {
    return refuse(fmt::format("there is no kernel {}", kernel_id),
                  "add it to the kernels folder as ID_NAME.so");
  }
  if (static_cast<uint32_t>(worker_type) >= core_types) {
    return refuse(fmt::format("{} is no worker type", worker_type),
                  "use PTO2_WORKER_CUBE or PTO2_WORKER_VECTOR");
  }
  if (task.params.size() > max_params) {
    return refuse(
        fmt::format("{} parameters, at most {} are supported", task.params.size(), max_params),
        "pass several values through one tensor");
  }
  if (scopes_.empty() || done_) {
    return refuse("the orchestration is done", "submit before pto2_rt_orchestration_done");
  }
  task.kernel_id = static_cast<uint32_t>(kernel_id);
  task.type = static_cast<CoreType>(worker_type);
  task.ring = scope_ring();
  task.outputs = 0;
  task.heap_bytes = 0;
  task.rewrites = 0;
  task.inserts = 0;
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    if (!check_param(task, i)) return false;
  }
  return true;
}

template <class P, template <class> class F>
bool Orchestrator<P, F>::check_param(Submission& task, uint32_t i) {
  const PTOParam& param = task.params[i];
  if (static_cast<uint32_t>(param.type) > static_cast<uint32_t>(PTOParamType::SCALAR)) {
    fail(ErrorCode::bad_submission,
         fmt::format("submission {}, parameter {}: {} is no parameter type", submitted_, i,
                     static_cast<int32_t>(param.type)),
         "make parameters with make_input_param() and its like");
    return false;
  }
  if (param.type == PTOParamType::SCALAR) return true;
  const TensorRecord* const tensor = tensors_.find(param.tensor.id);
  task.tensors[i] = tensor;
  if (tensor == nullptr) {
    fail(ErrorCode::bad_submission,
         fmt::format("submission {}, parameter {}: {}", submitted_, i,
                     tensors_.describe(param.tensor.id)),
         "use a tensor only inside the scope that made it");
    return false;
  }
  if (tensor->has_address()) {
    task.inserts += writes(param.type) ? 1 : 0;
    if (tensor->external) return true;
    if (param.type == PTOParamType::OUTPUT) task.former_owners[task.rewrites++] = tensor->owner;
    return check_memory(*tensor, i);
  }
  bool twice = false;
  for (uint32_t j = 0; j < task.outputs; ++j) {
    twice |= task.tensors[task.output_params[j]] == tensor;
  }
  if (param.type != PTOParamType::OUTPUT || twice) {
    fail(ErrorCode::bad_submission,
         fmt::format("submission {}, parameter {}: the tensor has no memory yet", submitted_, i),
         "submit the task that has it as OUTPUT, once, before it is read");
    return false;
  }
  ++task.inserts;
  const uint64_t bytes = tensor->bytes();
  task.output_params[task.outputs] = i;
  task.output_bytes[task.outputs++] = bytes;
  task.heap_bytes = packed_bytes_with(task.heap_bytes, bytes);
  return true;
}

template <class P, template <class> class F>
bool Orchestrator<P, F>::check_memory(const TensorRecord& tensor, uint32_t i) {
  if (mode_ == Mode::counting || scope_is_open(tensor.owner)) return true;
  fail(ErrorCode::bad_submission,
       fmt::format("submission {}, parameter {}: the memory of the tensor belongs to task {} of "
                   "ring {}, whose scope has ended",
                   submitted_, i, local_of(tensor.owner), ring_of(tensor.owner)),
       "submit the task that outputs it in a scope that encloses all its uses");
  return false;
}

template <class P, template <class> class F>
void Orchestrator<P, F>::find_producers(const Submission& task) {
  producers_.clear();
  owners_.clear();
  replaced_.clear();
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    const PTOParamType type = task.params[i].type;
    if (!reads(type)) continue;
    const TensorRecord& tensor = *task.tensors[i];
    const Access access = type == PTOParamType::INOUT ? Access::inout : Access::input;
    map_.lookup(tensor.base, tensor.region, access, [&](const Match& match) {
      if (match.replaced) replaced_.push_back(match.producer);
      if (is_known_producer(match.producer)) return;
      producers_.push_back(match.producer);
      prefetch_slot(match.producer);
    });
  }
}

/// Whoever names a buffer of the runtime holds the task that allocated it, so that the buffer stays
/// until the last of them has completed. Who reads has an edge to that task already: its entry is
/// never replaced (TM-I4).
template <class P, template <class> class F>
void Orchestrator<P, F>::find_owners(const Submission& task) {
  for (uint32_t i = 0; i < task.rewrites; ++i) {
    if (!is_known_producer(task.former_owners[i])) owners_.push_back(task.former_owners[i]);
  }
}

/// Tells whether the submission under way has met this producer before.
template <class P, template <class> class F>
bool Orchestrator<P, F>::is_known_producer(TaskId id) {
  if (mode_ == Mode::counting) {
    const auto among = [&](const std::vector<TaskId>& tasks) {
      return std::find(tasks.begin(), tasks.end(), id) != tasks.end();
    };
    return among(producers_) || among(owners_);
  }
  TaskNote& producer = note(id);
  return std::exchange(producer.last_consumer, submitted_ + 1) == submitted_ + 1;
}

/// What the submission asks for in the best case, in which some producers have retired that are
/// alive here.
template <class P, template <class> class F>
void Orchestrator<P, F>::count_demand(const Submission& task) {
  uint64_t nodes = 0;
  for (const TaskId id : producers_) nodes += requirement_.can_be_live(id) ? 1 : 0;
  for (const TaskId id : owners_) nodes += requirement_.can_be_live(id) ? 1 : 0;
  requirement_.submit(task.ring, {.output_bytes = {task.output_bytes.data(), task.outputs},
                                  .dep_nodes = nodes,
                                  .map_entries = task.inserts,
                                  .replaced = replaced_});
}

/// Counting mode: the task is in the books, with addresses that nobody will use, so that the
/// orchestration can go on.
template <class P, template <class> class F>
void Orchestrator<P, F>::count_only(const Submission& task) {
  constexpr uint64_t counting_base = uint64_t{1} << 46;
  constexpr uint64_t counting_limit_ns = 500'000'000;
  count_demand(task);
  const TaskId id = make_id(task.ring, counted_next_[task.ring]++);
  allocate_outputs(task, id, counting_base + counted_addresses_);
  counted_addresses_ += task.heap_bytes;
  while (!map_.reserve(task.inserts)) map_.enlarge(0, 2 * map_.config().pool_size);
  insert_outputs(task, id);
  if (P::now_ns() - counting_since_ns_ > counting_limit_ns) finish_counting();
}

template <class P, template <class> class F>
void Orchestrator<P, F>::commit(const Submission& task) {
  count_demand(task);
  const Admitted admitted =
      state_.admission.admit(demand(task), counts_.cas_retries, [&](uint32_t, Claim claim) {
        counts_.edges_linked += claim == Claim::linked ? 1 : 0;
        counts_.edges_early += claim == Claim::early ? 1 : 0;
      });
  const TaskId id = admitted.id;
  counts_.holds += owners_.size();
  note(id) = {submitted_ + 1, 0, static_cast<uint32_t>(scopes_.size()) - 1};
  const uint64_t active =
      state_.admission.ring(task.ring).tasks.active(state_.admission.alive(task.ring));
  counts_.peak_window = std::max(counts_.peak_window, active);
  prefetch_slot(make_id(task.ring, local_of(id) + slots_ahead));
  const auto heap = reinterpret_cast<uint64_t>(state_.rings[task.ring]->heap_memory.data());
  allocate_outputs(task, id, heap + admitted.placement.begin);
  write_arguments(task, id);
  insert_outputs(task, id);
  publish(task, admitted);
}

/// Lays the new outputs out one behind the other, from `address` on.
template <class P, template <class> class F>
void Orchestrator<P, F>::allocate_outputs(const Submission& task, TaskId id, uint64_t address) {
  for (uint32_t i = 0; i < task.outputs; ++i) {
    tensors_.set_buffer(task.params[task.output_params[i]].tensor.id, address, id);
    address += packed_output_bytes(task.output_bytes[i]);
  }
}

template <class P, template <class> class F>
void Orchestrator<P, F>::insert_outputs(const Submission& task, TaskId id) {
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    if (!writes(task.params[i].type)) continue;
    const TensorRecord& tensor = *task.tensors[i];
    const bool allocated =
        task.params[i].type == PTOParamType::OUTPUT && !tensor.external && tensor.owner == id;
    const bool inserted = map_.insert(tensor.base, tensor.region, id, allocated);
    PTO2_INVARIANT("TM-I5", inserted);
  }
}

template <class P, template <class> class F>
void Orchestrator<P, F>::write_arguments(const Submission& task, TaskId id) {
  const Place place = state_.life.place(id);
  const auto arguments = state_.arguments(place).editing();
  for (uint32_t i = 0; i < task.params.size(); ++i) {
    if (task.params[i].type == PTOParamType::SCALAR) {
      arguments->args[i] = static_cast<int64_t>(task.params[i].scalar);
    } else {
      task.tensors[i]->fill(arguments->tensors[i]);
      arguments->args[i] = reinterpret_cast<int64_t>(&arguments->tensors[i]);
    }
  }
  state_.life.slot(place).descriptor.write({id, input_.kernels[task.kernel_id], task.type});
}

template <class P, template <class> class F>
void Orchestrator<P, F>::publish(const Submission& task, const Admitted& admitted) {
  const TaskId id = admitted.id;
  scope_tasks_.push_back(id);
  ++submitted_;
  ++counts_.tasks;
  record<P>(log_, EventKind::submit, id, task.kernel_id);
  if (!state_.admission.release(admitted)) return;
  record<P>(log_, EventKind::ready, id, static_cast<uint32_t>(task.type));
  auto& ready = state_.ready[static_cast<uint32_t>(task.type)];
  const Place place = state_.life.place(id);
  const auto placed = [&] {
    return ready.push(ready.orchestrator_shard(), place) || state_.fatal.is_set();
  };
  if (!placed()) {
    record<P>(log_, EventKind::wait, no_task);
    P::await(placed);
  }
  state_.wake_one(static_cast<uint32_t>(task.type));
}

}  // namespace pto2
