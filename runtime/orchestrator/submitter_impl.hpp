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
  pace_.keep(state_.admission, ring, counts_.wait_ticks);
  state_.admission.observe();
  dataflow_.map().sync(state_.admission.alive());
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Submitter<P, F>::take_arguments(Submission& task) {
  const auto params = static_cast<uint32_t>(task.params.size());
  ArgumentBlocks& blocks = *desk_->blocks;
  if (!blocks.has_room(params)) [[unlikely]]
    blocks.make_room(desk_->ring->tasks.next(), desk_->ring->tasks.alive());
  task.arguments = blocks.take(params);
  // The next task's lines, if it has as many or one more, which cores have in their caches.
  for (std::size_t i = 0; i < ArgumentBlocks::bytes_of(params); i += 2 * cache_line) {
    P::prefetch_for_write(blocks.next() + i);
    P::prefetch_for_write(blocks.next() + i + cache_line);
  }
  task.arguments.call() = {.run = &state_.calls.run,
                           .pipes = 0,
                           .kernel = static_cast<uint16_t>(task.kernel_id),
                           .params = static_cast<uint8_t>(params),
                           .misuse = 0};
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Submitter<P, F>::show_values(Submission& task) {
  int64_t* value = task.arguments.values();
  const std::span params = task.params;
  for (const PTOParam& param : params) {
    if (param.type != PTOParamType::SCALAR) return false;
    *value++ = static_cast<int64_t>(param.scalar);
  }
  task.name_nothing();
  return true;
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Submitter<P, F>::resolve(Submission& task) {
  task.id = make_id(task.ring, desk_->ring->tasks.next());
  return dataflow_.template resolve<false>(task, Show{}, [this](Submission& of, TaskId producer) {
    prefetch_slot(producer);
    of.live_nodes += counting_.can_be_live(producer) ? 1 : 0;
  });
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Submitter<P, F>::resolve(GraphReplay& replay,
                                                            const Request& request,
                                                            Submission& task) {
  return replay.take_submission(request, task, state_.admission.alive(), Show{},
                                [this](Submission&, TaskId producer) { prefetch_slot(producer); });
}

/// Producers that were reclaimed since the look-ups need no node; their slots may be the next to be
/// taken. Owners are alive: their scopes are open.
template <executors::ExecutionPolicy P, template <class> class F>
void Submitter<P, F>::forget_reclaimed_producers(Submission& task) {
  task.producers.erase_if([&](TaskId id) { return state_.admission.is_reclaimed(id); });
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Submitter<P, F>::fits(const Needs& needs) {
  // The ring comes last: its books are still in registers when the task takes from it.
  return dataflow_.map().reserve(needs.inserts) && desk_->ring->fits(needs.heap_bytes, needs.nodes);
}

/// The first of them that does not fit.
template <executors::ExecutionPolicy P, template <class> class F>
std::optional<Resource> Submitter<P, F>::lacking(const Submission& task) {
  if (fits(task.needs())) return std::nullopt;
  const auto lack = state_.admission.lacking(task.demand());
  return lack ? resource_of(*lack) : Resource::tensormap_pool;
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
      return task.nodes();
    case Resource::tensormap_pool:
      return task.inserts();
    case Resource::task_ring:
    case Resource::clusters:
      break;
  }
  return 1;
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] Reserved Submitter<P, F>::wait_for_room(Submission& task) {
  const std::optional<Resource> lacks = observe_lacking(task);
  if (!lacks) return Reserved::fits;
  record<P>(events_, {.task = make_id(task.ring, state_.admission.ring(task.ring).tasks.next()),
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
  auto& mark = state_.admission.awaited();
  place.awaited == 0 ? mark.set_any() : mark.set(make_id(place.ring, place.awaited));
  P::await([&] {
    if (place.awaited != 0 && state_.calls.kernels_wait()) [[unlikely]] {
      place.awaited = 0;
      mark.set_any();
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
  mark.clear();
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
  constexpr uint64_t interval = 10'000;
  if (!log_) return false;
  const uint64_t now = P::now();
  if (evaluations == 1) last_warning_ = now;
  if (evaluations % interval != 0 && now - last_warning_ < P::ticks_per_second) return false;
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

/// Claims the producers of a task that has some, and holds the owners. Returns how many of them
/// will not notify it.
template <executors::ExecutionPolicy P, template <class> class F>
template <class Tensors, bool traced>
[[gnu::noinline]] uint32_t Submitter<P, F>::claim(const Submission& task, SlotId slot,
                                                  uint32_t first_node) {
  constexpr bool replayed = !std::is_same_v<Tensors, Dataflow>;
  const auto note = [&](uint32_t i, Claim claim) {
    if constexpr (traced) task_trace_.claimed(claim);
    if (claim == Claim::early) ++counts_.edges_early;
    if (claim == Claim::none && !replayed) dataflow_.note_consumed(task.producers[i]);
  };
  const uint32_t absent =
      state_.admission.claim_all(slot, first_node, task.demand(), counts_.cas_retries, note);
  counts_.edges_linked += task.nodes() - absent;
  counts_.holds += task.owners.size();
  return absent;
}

template <executors::ExecutionPolicy P, template <class> class F>
template <class Tensors>
[[gnu::always_inline]] inline void Submitter<P, F>::commit(const Submission& task,
                                                           const Needs& needs, Admitted admitted,
                                                           bool is_placed, Tensors& tensors) {
  if (needs.nodes != 0) {
    admitted.absent = task_trace_.enabled()
                          ? claim<Tensors, true>(task, admitted.slot_id, admitted.first_node)
                          : claim<Tensors, false>(task, admitted.slot_id, admitted.first_node);
  }
  dataflow_.enter(task, admitted.id);
  const Ring& ring = *desk_->ring;
  P::prefetch_for_write(&ring.slots[ring.tasks.slot(local_of(admitted.id) + slots_ahead)]);
  {
    // What the task's scheduler and its core will read; its outputs get their places on the way.
    const auto access = desk_->arguments[index_of(admitted.slot_id)].editing();
    *access = task.arguments;
    tensors.place(task, needs, admitted.id, desk_->heap + admitted.heap_begin, Show{});
    admitted.slot->descriptor.write({task, admitted.id, task.kernel, task.arguments});
    if (is_placed) [[unlikely]]
      write_placed(task, admitted.id);
  }
  if constexpr (std::is_same_v<Tensors, GraphReplay>) {
    if (is_watched_) [[unlikely]]
      tensors.update_records(task);
  }
  publish(task, admitted, is_placed);
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

/// In place of the tensors that they are to the TensorMap, the pipes; and what a block task has.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::write_placed(const Submission& task, TaskId id) {
  const TaskArguments arguments = task.arguments;
  if (task.has_pipes) {
    for (const auto& [index, pipe] : task.pipes) {
      arguments.call().pipes |= uint32_t{1} << index;
      arguments.tensor(index).address = reinterpret_cast<uint64_t>(pipe);
      arguments.values()[index] = reinterpret_cast<int64_t>(&pipe->control);
    }
  }
  if (!task.is_block) return;
  const SlotId slot = state_.life.slot_id(id);
  BlockState<P>& block = state_.block_to_open(slot);
  BlockShape shape{.params = static_cast<uint32_t>(task.params.size())};
  if (!task.is_pinned()) {
    block.parts.open(task.block_dim);
    if (task.type != CoreType::ai_cpu) {
      state_.life.hold_ticket(id);
      ++tickets_;
    }
  } else {
    block.parts.open_pinned(task.block_dim);
    // They stay where they are until the slot has its next block task of this kind.
    std::vector<ClusterId>& clusters = part_clusters_[slot.value];
    clusters.clear();
    for (const PinnedPart& part : task.pinned_parts) clusters.push_back(part.cluster);
    shape.clusters = clusters.data();
  }
  block.shape.write(shape);
}

/// `is_placed`: what the submission says, which the compiler may know.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Submitter<P, F>::publish(const Submission& task,
                                                            const Admitted& admitted,
                                                            bool is_placed) {
  counts_.tasks = task.serial;
  if (is_watched_ || is_placed) [[unlikely]]
    return publish_noted(task, admitted.apart());
  if (state_.admission.release(admitted)) push(task.type, admitted.slot_id);
}

/// Of a task of which something is to be known before it is released, or that is not pushed to
/// where most are.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::publish_noted(const Submission& task,
                                                      const Admitted& admitted) {
  const TaskId id = admitted.id;
  const uint64_t heap = desk_->heap;
  if (state_.calls.guard != nullptr) open_guarded(task, id, heap + admitted.heap_begin);
  if (task_trace_.enabled()) {
    task_trace_.set_heap(task.ring, heap);
    task_trace_.submitted(task, id, admitted.heap_begin, admitted.first_node);
  }
  record<P>(events_, EventKind::submit, id);
  if (task.is_pinned()) {
    // It joins the group of each part while that is open, and before anybody can complete it.
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
  if (!state_.admission.release(admitted)) return;
  record<P>(events_, EventKind::ready, id, static_cast<uint32_t>(task.type));
  if (task.is_pinned()) return state_.push_pinned(admitted.slot_id, task.cluster_id());
  push(task.type, admitted.slot_id);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Submitter<P, F>::push(CoreType core_type, SlotId slot) {
  const auto type = static_cast<uint32_t>(core_type);
  if (!state_.ready[type].push_orchestrators(slot)) [[unlikely]]
    return push_elsewhere(type, slot);
  state_.wake_one_peeking(type);
}

/// The orchestrator's queue is full: into a shard, or the first queue where there is room. If it
/// waited for its own alone, tasks for whose kernels others wait on their cores could not come.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Submitter<P, F>::push_elsewhere(uint32_t type, SlotId slot) {
  auto& ready = state_.ready[type];
  if (!ready.push(0, slot)) {
    if (state_.fatal.is_set()) return;
    record<P>(events_, EventKind::wait, no_task);
    const uint64_t since = P::now();
    // Schedulers ring before they sleep, if they have made room; but they may be busy for long.
    state_.admission.awaited().set_any();
    P::await([&] {
      return ready.push_orchestrators(slot) || ready.push(0, slot) || state_.fatal.is_set();
    });
    state_.admission.awaited().clear();
    counts_.wait_ticks += P::now() - since;
  }
  state_.wake_one(type);
}

template <executors::ExecutionPolicy P, template <class> class F>
void Submitter<P, F>::drop_scope(RingId ring, ScopeTasks::Run run) {
  const std::span slots = state_.rings[ring.value]->slots.span();
  const uint64_t mask = slots.size() - 1;
  for (uint64_t local = run.first; local < run.end; ++local) {
    // The words are in the schedulers' caches: fetch the next ones while this one is dropped.
    P::prefetch_for_write(&slots[(local + drops_ahead) & mask]);
    if (!State::Life::drop_scope(slots[local & mask])) continue;
    const TaskId id = make_id(ring, local);
    record<P>(events_, EventKind::consume, id);
    state_.advance(id, events_, counts_.cas_retries);
  }
}

}  // namespace pto2
