/// The definitions behind submitter.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "runtime/orchestrator/submitter.hpp"

namespace pto2 {

/// Submissions between two looks at the watermarks, whose lines belong to the schedulers.
constexpr uint64_t observation_interval = 16;

/// Slots whose lines are fetched from the schedulers' caches before they are taken.
constexpr uint64_t slots_ahead = 4;

/// Slots whose lines are on their way while drop_scope() drops references.
constexpr uint64_t drops_ahead = 8;

/// Tasks alive that are enough for all cores to be busy. More of them only take lines of the caches
/// from those that come next.
constexpr uint64_t far_ahead = 512;

/// The others of its OS thread run until the orchestrator is that far ahead no more, and at most
/// for this part of a second; for an eighth of the time that they took, and no more than this part
/// of a second, it goes on then before it gives way again. So neither long kernels nor a scope with
/// more tasks keep it from finding work for others, nor does what else the machine does, of which
/// the time may be, bring it far ahead.
constexpr uint64_t longest_way = 50'000;
constexpr uint64_t part_of_others = 8;
constexpr uint64_t longest_turn = 10'000;

/// Who has waited for its ring goes on when this part of the tasks alive has retired: then it
/// submits as many in one go, while enough are left for the cores.
constexpr uint64_t part_awaited = 8;

template <executors::ExecutionPolicy P, template <class> class F>
inline void Submitter<P, F>::observe(RingId ring) {
  if (submitted() % observation_interval == 0) [[unlikely]]
    look(ring);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::look(RingId ring) {
  keep_pace(ring);
  state_.admission.observe();
  dataflow_.map().sync(state_.admission.alive());
}

template <executors::ExecutionPolicy P, template <class> class F>
void Submitter<P, F>::keep_pace(RingId ring) {
  const auto is_far_ahead = [&] {
    const uint64_t alive = state_.admission.alive(ring);
    return state_.admission.ring(ring).tasks.active(alive) >= far_ahead;
  };
  if (!is_far_ahead()) return;
  const uint64_t begin = P::now();
  if (begin < go_on_until_) return;
  uint64_t end = begin;
  while (P::give_way()) {
    end = P::now();
    state_.admission.observe();
    if (!is_far_ahead() || end - begin > P::ticks_per_second / longest_way) break;
  }
  go_on_until_ = end + std::min((end - begin) / part_of_others, P::ticks_per_second / longest_turn);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Submitter<P, F>::prefetch_arguments(const Submission& task) {
  const std::byte* const begin = desks_[task.ring.value].blocks->next();
  const auto params = static_cast<uint32_t>(task.params.size());
  for (std::size_t i = 0; i < ArgumentBlocks::bytes_of(params); i += cache_line) {
    P::prefetch_for_write(begin + i);
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Submitter<P, F>::prefetch(const Submission& task) {
  for (const TaskId producer : task.producers) prefetch_slot(producer);
}

/// Producers that were reclaimed since the look-ups need no node; their slots may be the next to be
/// taken. Owners are alive: their scopes are open.
template <executors::ExecutionPolicy P, template <class> class F>
void Submitter<P, F>::forget_reclaimed_producers(Submission& task) {
  std::erase_if(task.producers, [&](TaskId id) { return state_.admission.is_reclaimed(id); });
}

/// What the submission lacks, given the watermarks as last observed. Slot, heap bytes, nodes and
/// TensorMap entries are taken together; this is the first that does not fit.
template <executors::ExecutionPolicy P, template <class> class F>
inline std::optional<Resource> Submitter<P, F>::lacking(const Submission& task) {
  if (const auto lack = state_.admission.lacking(task.demand())) return resource_of(*lack);
  if (task.inserts != 0 && !dataflow_.map().reserve(task.inserts)) return Resource::tensormap_pool;
  return std::nullopt;
}

/// Looks at the watermarks, and what is lacking then.
template <executors::ExecutionPolicy P, template <class> class F>
std::optional<Resource> Submitter<P, F>::observe_lacking(Submission& task) {
  state_.admission.observe();
  dataflow_.map().sync(state_.admission.alive(), true);
  forget_reclaimed_producers(task);
  return lacking(task);
}

/// Bytes of the heap, entries of the others.
inline uint64_t requested(const Submission& task, Resource resource) {
  switch (resource) {
    case Resource::heap_ring:
      return task.heap_bytes;
    case Resource::dependency_pool:
      return task.producers.size() + task.owners.size();
    case Resource::tensormap_pool:
      return task.inserts;
    case Resource::task_ring:
    case Resource::clusters:
      break;
  }
  return 1;
}

template <executors::ExecutionPolicy P, template <class> class F>
inline Reserved Submitter<P, F>::reserve(Submission& task) {
  if (!lacking(task)) [[likely]]
    return Reserved::fits;
  return wait_for_room(task);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] Reserved Submitter<P, F>::wait_for_room(Submission& task) {
  const std::optional<Resource> lacks = observe_lacking(task);
  if (!lacks) return Reserved::fits;
  const TaskId next = make_id(task.ring, state_.admission.ring(task.ring).tasks.next());
  record<P>(events_, {.task = next,
                      .requested = requested(task, *lacks),
                      .kind = EventKind::wait,
                      .lacking = lacks});
  return wait(
      {task.ring, task.depth + 1, awaited_watermark(task.ring, *lacks)},
      [&] { return observe_lacking(task); },
      [&](Resource resource) { return requested(task, resource); });
}

template <executors::ExecutionPolicy P, template <class> class F>
Reserved Submitter<P, F>::allocate_cluster(RingId ring, ClusterId& cluster) {
  const auto look = [&]() -> std::optional<Resource> {
    const std::optional<ClusterId> allocated = state_.clusters.allocate();
    if (!allocated) return Resource::clusters;
    cluster = *allocated;
    return std::nullopt;
  };
  const std::optional<Resource> lacks = look();
  if (!lacks) return Reserved::fits;
  record<P>(events_, {.requested = 1, .kind = EventKind::wait, .lacking = lacks});
  return wait({ring, dataflow_.open_scopes(), 0}, look, [](Resource) { return 1; });
}

/// Of a ring that lacks this; 0: any. Entries of the TensorMap come back from all rings.
template <executors::ExecutionPolicy P, template <class> class F>
uint64_t Submitter<P, F>::awaited_watermark(RingId ring, Resource lacks) const {
  if (lacks == Resource::tensormap_pool) return 0;
  const uint64_t alive = state_.admission.alive(ring);
  const uint64_t part = state_.admission.ring(ring).tasks.active(alive) / part_awaited;
  return part == 0 ? 0 : alive + part;
}

/// Waits until look() finds nothing lacking, once the awaited watermark has been reached or
/// everything has finished. Kernels that wait for others may wait for the very task that this is
/// for, and keep the watermark from moving that far: then none is awaited.
template <executors::ExecutionPolicy P, template <class> class F>
template <class Look, class Requested>
Reserved Submitter<P, F>::wait(Wait place, Look&& look, Requested&& requested) {
  ++counts_.waits;
  uint64_t evaluations = 0;
  bool deadlocked = false;
  std::optional<Resource> lacks;
  const uint64_t begin = P::now();
  if (place.awaited != 0) state_.admission.awaited().set(make_id(place.ring, place.awaited));
  P::await([&] {
    if (place.awaited != 0 && state_.calls.kernels_wait()) [[unlikely]] {
      place.awaited = 0;
      state_.admission.awaited().clear();
    }
    // If everything has finished by now, what the look finds after it is final.
    const bool all_finished = quiescent();
    const bool is_early = place.awaited != 0 && !all_finished && !state_.fatal.is_set() &&
                          state_.admission.ring(place.ring).watermark.observe() < place.awaited;
    if (is_early && !is_warning_due(++evaluations)) return false;
    lacks = look();
    if (is_early) {
      if (lacks) warn(place, *lacks, requested(*lacks), evaluations);
      return false;
    }
    if (!lacks || state_.fatal.is_set()) return true;
    if (is_warning_due(++evaluations)) warn(place, *lacks, requested(*lacks), evaluations);
    deadlocked = all_finished;
    return deadlocked;
  });
  if (place.awaited != 0) state_.admission.awaited().clear();
  counts_.wait_ticks += P::now() - begin;
  if (!lacks) return Reserved::fits;
  if (!deadlocked) return Reserved::given_up;
  deadlock_ = blocked(*lacks, place, requested(*lacks));
  if (*lacks != Resource::clusters) find_oldest(deadlock_);  // clusters are held by groups
  return Reserved::deadlocked;
}

/// Tells of a wait that goes on.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::warn(const Wait& place, Resource lacks, uint64_t requested,
                                             uint64_t evaluations) {
  Deadlock state = blocked(lacks, place, requested);
  find_oldest(state);
  for (const std::string& line : describe_wait(state, evaluations)) {
    log_(PTO2_LOG_WARN, line.c_str());
  }
}

/// The original's periodic warnings: every 10,000 looks in vain, and every second of one wait.
template <executors::ExecutionPolicy P, template <class> class F>
bool Submitter<P, F>::is_warning_due(uint64_t evaluations) {
  constexpr uint64_t warning_interval = 10'000;
  if (!log_) return false;
  const uint64_t now = P::now();
  if (evaluations == 1) last_warning_ = now;
  if (evaluations % warning_interval != 0 && now - last_warning_ < P::ticks_per_second) {
    return false;
  }
  last_warning_ = now;
  return true;
}

/// The facts of a wait, but for the oldest task.
template <executors::ExecutionPolicy P, template <class> class F>
Deadlock Submitter<P, F>::blocked(Resource resource, const Wait& place, uint64_t requested) const {
  const RingId ring = place.ring;
  const auto& books = state_.admission.ring(ring);
  const uint64_t alive = state_.admission.alive(ring);
  Deadlock d;
  d.resource = resource;
  d.ring = ring;
  d.requested = requested;
  d.open_scopes = place.open_scopes;
  switch (resource) {
    case Resource::task_ring:
      d.next = books.tasks.next();
      d.alive = alive;
      d.used = books.tasks.active(alive);
      d.size = books.tasks.window();
      break;
    case Resource::heap_ring:
      d.heap_top = books.heap.top();
      d.heap_tail = books.heap.tail(alive);
      d.available = largest_request(books.heap);
      d.size = books.heap.size();
      d.used = d.heap_top >= d.heap_tail ? d.heap_top - d.heap_tail
                                         : d.size - (d.heap_tail - d.heap_top);
      break;
    case Resource::dependency_pool:
      d.used = books.pool.used(alive);
      d.size = state_.config.dep_pool;
      break;
    case Resource::tensormap_pool:
      d.used = dataflow_.map().live();
      d.size = dataflow_.map().limit();
      break;
    case Resource::clusters:
      d.size = state_.clusters.clusters();
      break;
  }
  return d;
}

/// The oldest task alive of the ring that the task was for, or of any ring that has one if what is
/// lacking, TensorMap or clusters, is that of all rings.
template <executors::ExecutionPolicy P, template <class> class F>
void Submitter<P, F>::find_oldest(Deadlock& d) const {
  const bool of_all = d.resource == Resource::tensormap_pool || d.resource == Resource::clusters;
  const uint32_t rings = of_all ? state_.config.rings : 1;
  for (uint32_t i = 0; i < rings && d.oldest == no_task; ++i) {
    const RingId r((d.ring.value + i) % state_.config.rings);
    const uint64_t oldest = state_.admission.alive(r);
    if (state_.admission.ring(r).tasks.active(oldest) == 0) continue;
    d.oldest = make_id(r, oldest);
    d.oldest_phase = state_.life.phase(d.oldest);
    d.oldest_scope = dataflow_.depth_of(d.oldest);
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
template <class Tensors>
auto Submitter<P, F>::admit(const Submission& task) -> Admitted {
  const auto claimed = [this, &task](uint32_t i, Claim claim) {
    constexpr bool replayed = !std::is_same_v<Tensors, Dataflow>;
    if (task_trace_.enabled()) [[unlikely]]
      task_trace_.claimed(claim);
    if (claim == Claim::early) ++counts_.edges_early;
    if (claim == Claim::none && !replayed) dataflow_.note_consumed(task.producers[i]);
  };
  return state_.admission.admit(task.demand(), counts_.cas_retries, claimed);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::trace(const Submission& task, TaskId id,
                                              uint64_t heap_begin, uint32_t first_node) {
  task_trace_.set_heap(task.ring, desks_[task.ring.value].heap);
  task_trace_.submitted(task, id, heap_begin, first_node);
}

template <executors::ExecutionPolicy P, template <class> class F>
template <class Tensors>
inline void Submitter<P, F>::commit(const Submission& task, Tensors& tensors) {
  const Admitted admitted = admit<Tensors>(task);
  const TaskId id = admitted.id;
  if (admitted.nodes != 0) {
    counts_.edges_linked += admitted.nodes - admitted.absent;
    counts_.holds += task.owners.size();
  }
  dataflow_.enter(task, id);
  prefetch_slot(TaskId(id.value + slots_ahead));
  const uint64_t buffers = desks_[task.ring.value].heap + admitted.heap_begin;
  write(task, admitted, buffers, tensors);
  if (state_.calls.guard != nullptr) [[unlikely]]
    open_guarded(task, id, buffers);
  publish(task, admitted);
}

/// Before anybody else knows the task. What a kernel did to a buffer that was in its place is told
/// as the fault of the one that allocated that.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::open_guarded(const Submission& task, TaskId id,
                                                     uint64_t buffers) {
  const auto late =
      state_.calls.guard->open({.id = id,
                                .kernel = static_cast<uint16_t>(task.kernel_id),
                                .params = task.params,
                                .tensors = std::span(task.tensors).first(task.params.size()),
                                .parts = task.is_block ? task.block_dim : 1,
                                .heap_begin = buffers,
                                .heap_bytes = task.heap_bytes});
  if (late) state_.give_up(KernelFault(*late));
}

/// What the task's scheduler and its core will read; and lets `tensors` give its outputs their
/// places, from `buffers` on.
template <executors::ExecutionPolicy P, template <class> class F>
template <class Tensors>
[[gnu::always_inline]] inline void Submitter<P, F>::write(const Submission& task,
                                                          const Admitted& admitted,
                                                          uint64_t buffers, Tensors& tensors) {
  const TaskId id = admitted.id;
  const uint32_t index = index_of(admitted.slot_id);
  const auto params = static_cast<uint32_t>(task.params.size());
  const Desk& desk = desks_[task.ring.value];
  const auto access = desk.arguments[index].editing();
  const TaskArguments arguments =
      desk.blocks->take(local_of(id), params, state_.admission.alive(task.ring));
  *access = arguments;
  arguments.call() = {.run = &state_.calls.run,
                      .pipes = 0,
                      .kernel = static_cast<uint16_t>(task.kernel_id),
                      .params = static_cast<uint8_t>(params),
                      .misuse = 0};
  tensors.place(task, id, buffers, [&](uint32_t i, const TensorRecord* tensor) {
    if (tensor == nullptr) {
      arguments.values()[i] = static_cast<int64_t>(task.params[i].scalar);
    } else {
      arguments.tensor(i) = tensor->shown();
      arguments.values()[i] = reinterpret_cast<int64_t>(&arguments.tensor(i));
    }
  });
  if (task.has_pipes) [[unlikely]]
    write_pipes(task, arguments);
  admitted.slot->descriptor.write({task, id, task.kernel, arguments});
  if (task.is_block) [[unlikely]]
    open_block(task, id);
}

/// In place of the tensors that the pipes are to the TensorMap.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::write_pipes(const Submission& task,
                                                    TaskArguments arguments) {
  for (const auto& [index, pipe] : task.pipes) {
    arguments.call().pipes |= uint32_t{1} << index;
    arguments.tensor(index).address = reinterpret_cast<uint64_t>(pipe);
    arguments.values()[index] = reinterpret_cast<int64_t>(&pipe->control);
  }
}

/// The clusters stay where they are until the slot has its next block task of this kind.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::open_block(const Submission& task, TaskId id) {
  const SlotId slot = state_.life.slot_id(id);
  BlockState<P>& block = state_.block(slot);
  BlockShape shape{.params = static_cast<uint32_t>(task.params.size())};
  if (!task.is_pinned()) {
    block.parts.open(task.block_dim);
    if (task.type != CoreType::ai_cpu) {
      state_.life.hold_ticket(id);
      ++tickets_;
    }
  } else {
    block.parts.open_pinned(task.block_dim);
    std::vector<ClusterId>& clusters = part_clusters_[slot.value];
    clusters.clear();
    for (const PinnedPart& part : task.pinned_parts) clusters.push_back(part.cluster);
    shape.clusters = clusters.data();
  }
  block.shape.write(shape);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Submitter<P, F>::publish(const Submission& task,
                                                            const Admitted& admitted) {
  const TaskId id = admitted.id;
  ++counts_.tasks;
  if (task_trace_.enabled()) [[unlikely]]
    trace(task, id, admitted.heap_begin, admitted.first_node);
  record<P>(events_, EventKind::submit, id);
  if (task.is_pinned()) [[unlikely]]
    join_groups(task, id);
  if (!state_.admission.release(admitted)) return;
  record<P>(events_, EventKind::ready, id, static_cast<uint32_t>(task.type));
  if (task.is_pinned()) [[unlikely]]
    return state_.push_pinned(admitted.slot_id, task.cluster_id());
  push(task, admitted.slot_id);
}

/// Waits for room in the queues if it must.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Submitter<P, F>::push(const Submission& task, SlotId slot) {
  auto& ready = state_.ready[static_cast<uint32_t>(task.type)];
  const auto placed = [&] {
    return ready.push(ready.orchestrator_shard(), slot) || state_.fatal.is_set();
  };
  if (!placed()) [[unlikely]] {
    record<P>(events_, EventKind::wait, no_task);
    P::await(placed);
  }
  state_.wake_one(static_cast<uint32_t>(task.type));
}

/// The task joins the group of each part while that is open, and before anybody can complete it.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::join_groups(const Submission& task, TaskId id) {
  uint32_t number = 0;
  for (const auto& [cluster, group] : task.pinned_parts) {
    state_.clusters.join(cluster);
    record<P>(events_, {.task = id,
                        .group = group,
                        .part = number++,
                        .place = cluster.value,
                        .kind = EventKind::join});
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
void Submitter<P, F>::drop_scope(RingId ring, ScopeTasks::Run run) {
  for (uint64_t local = run.first; local < run.end; ++local) {
    // The words are in the schedulers' caches: fetch the next ones while this one is dropped.
    if (local + drops_ahead < run.end) {
      P::prefetch_for_write(&state_.life.slot_of(make_id(ring, local + drops_ahead)));
    }
    const TaskId id = make_id(ring, local);
    if (!state_.life.drop_scope(id)) continue;
    record<P>(events_, EventKind::consume, id);
    state_.advance(id, events_, counts_.cas_retries);
  }
}

}  // namespace pto2
