/// The definitions behind orchestrator.hpp: waiting for resources, and telling a deadlock from
/// back-pressure.
#pragma once

#include <fmt/core.h>

#include "runtime/orchestrator/orchestrator.hpp"

namespace pto2 {

/// In counting mode the watermarks are those of the best case. The map grows with the ids.
template <class P, template <class> class F>
void Orchestrator<P, F>::observe_counted_watermarks(uint32_t ring) {
  for (uint32_t r = 0; r < state_.config.rings; ++r) {
    counted_alive_[r] = std::max(counted_alive_[r], requirement_.watermark(r));
  }
  map_.sync(counted_alive_, true);
  while (counted_next_[ring] - counted_alive_[ring] + 1 >= map_.config().window) {
    map_.enlarge(2 * map_.config().window, 0);
  }
}

/// Producers that were reclaimed meanwhile need no node; their slots may be the next to be taken.
/// Owners are alive: their scopes are open.
template <class P, template <class> class F>
void Orchestrator<P, F>::forget_reclaimed_producers() {
  std::erase_if(producers_, [&](TaskId id) { return state_.admission.is_reclaimed(id); });
}

/// What the submission lacks, given the watermarks as last observed. Slot, heap bytes, nodes and
/// TensorMap entries are taken together; this is the first that does not fit.
template <class P, template <class> class F>
std::optional<Resource> Orchestrator<P, F>::lacking(const Submission& task) {
  if (const auto lack = state_.admission.lacking(demand(task))) return resource_of(*lack);
  if (!map_.reserve(task.inserts)) return Resource::tensormap_pool;
  return std::nullopt;
}

/// Looks at the watermarks, and what is lacking then.
template <class P, template <class> class F>
std::optional<Resource> Orchestrator<P, F>::observe_lacking(const Submission& task) {
  state_.admission.observe();
  map_.sync(state_.admission.alive(), true);
  forget_reclaimed_producers();
  return lacking(task);
}

/// Waits until nothing is lacking. False: the run is given up, because of a deadlock, which is
/// recorded here, or of something else.
template <class P, template <class> class F>
bool Orchestrator<P, F>::reserve(const Submission& task) {
  forget_reclaimed_producers();
  if (!lacking(task)) return true;
  std::optional<Resource> lacks = observe_lacking(task);
  if (!lacks) return true;
  ++counts_.waits;
  const TaskId next = make_id(task.ring, state_.admission.ring(task.ring).tasks.next());
  record<P>(log_, EventKind::wait, next, static_cast<uint32_t>(*lacks));
  uint64_t evaluations = 0;
  bool deadlocked = false;
  const uint64_t begin_ns = P::now_ns();
  P::await([&] {
    // If everything has finished by now, the watermarks that follow are final.
    const bool quiescent = state_.stall.quiescent(submitted_);
    lacks = observe_lacking(task);
    if (!lacks || state_.fatal.is_set()) return true;
    warn_blocked(task, *lacks, ++evaluations);
    deadlocked = quiescent;
    return deadlocked;
  });
  counts_.wait_ns += P::now_ns() - begin_ns;
  if (!lacks) return true;
  if (deadlocked) {
    report_deadlock(task, *lacks);
  } else {
    mode_ = Mode::stopped;
  }
  return false;
}

/// The seed's periodic warnings: every 10,000 looks in vain, and every second of one wait.
template <class P, template <class> class F>
void Orchestrator<P, F>::warn_blocked(const Submission& task, Resource resource,
                                      uint64_t evaluations) {
  constexpr uint64_t warning_interval = 10'000;
  constexpr uint64_t warning_period_ns = 1'000'000'000;
  if (!input_.log) return;
  const uint64_t now_ns = P::now_ns();
  if (evaluations == 1) last_warning_ns_ = now_ns;
  if (evaluations % warning_interval != 0 && now_ns - last_warning_ns_ < warning_period_ns) return;
  last_warning_ns_ = now_ns;
  const auto& ring = state_.admission.ring(task.ring);
  const uint64_t alive = state_.admission.alive(task.ring);
  std::string line = fmt::format("[{}] BLOCKED", resource_name(resource));
  switch (resource) {
    case Resource::task_ring:
      line +=
          fmt::format(" (Flow Control): current={}, last_alive={}, active={}/{} ({:.1f}%)",
                      ring.tasks.next(), alive, ring.tasks.active(alive), ring.tasks.window(),
                      100.0 * static_cast<double>(ring.tasks.active(alive)) / ring.tasks.window());
      break;
    case Resource::heap_ring:
      line += fmt::format(": requesting {} bytes, top={}, tail={}, size={}", task.heap_bytes,
                          ring.heap.top(), ring.heap.tail(alive), ring.heap.size());
      break;
    case Resource::dependency_pool:
      line += fmt::format(": requesting {} nodes, used={}/{}", producers_.size() + owners_.size(),
                          ring.pool.used(alive), ring.pool.capacity());
      break;
    case Resource::tensormap_pool:
      line += fmt::format(": requesting {} entries, used={}/{}", task.inserts, map_.live(),
                          map_.config().pool_size);
      break;
  }
  input_.log(PTO2_LOG_WARN, fmt::format("{}, spins={}", line, evaluations).c_str());
}

template <class P, template <class> class F>
void Orchestrator<P, F>::report_deadlock(const Submission& task, Resource resource) {
  const auto& ring = state_.admission.ring(task.ring);
  const uint64_t alive = state_.admission.alive(task.ring);
  Deadlock& d = deadlock_;
  d.resource = resource;
  d.ring = task.ring;
  d.open_scopes = static_cast<uint32_t>(scopes_.size());
  // The TensorMap is that of all rings.
  const uint32_t rings = resource == Resource::tensormap_pool ? state_.config.rings : 1;
  for (uint32_t i = 0; i < rings && d.oldest == no_task; ++i) {
    const uint32_t r = (task.ring + i) % state_.config.rings;
    const uint64_t oldest = state_.admission.alive(r);
    if (state_.admission.ring(r).tasks.active(oldest) == 0) continue;
    d.oldest = make_id(r, oldest);
    d.oldest_scope = note(d.oldest).depth;
  }
  switch (resource) {
    case Resource::task_ring:
      d.requested = 1;
      d.used = ring.tasks.active(alive);
      d.size = ring.tasks.window();
      break;
    case Resource::heap_ring:
      d.requested = task.heap_bytes;
      d.heap_top = ring.heap.top();
      d.heap_tail = ring.heap.tail(alive);
      d.size = ring.heap.size();
      d.used = d.heap_top >= d.heap_tail ? d.heap_top - d.heap_tail
                                         : d.size - (d.heap_tail - d.heap_top);
      break;
    case Resource::dependency_pool:
      d.requested = producers_.size() + owners_.size();
      d.used = ring.pool.used(alive);
      d.size = ring.pool.capacity();
      break;
    case Resource::tensormap_pool:
      d.requested = task.inserts;
      d.used = map_.live();
      d.size = map_.config().pool_size;
      break;
  }
  const ErrorCode code = deadlock_code(resource);
  state_.fatal.latch(static_cast<int32_t>(code), {submitted_});
  state_.ring_schedulers();
  error_.code = code;
  mode_ = Mode::counting;
  counting_since_ns_ = P::now_ns();
  for (uint32_t r = 0; r < state_.config.rings; ++r) {
    counted_next_[r] = state_.admission.ring(r).tasks.next();
    counted_alive_[r] = state_.admission.alive(r);
  }
}

/// The orchestration has returned, or goes on for too long: says what was learnt.
template <class P, template <class> class F>
void Orchestrator<P, F>::finish_counting() {
  deadlock_.counted_to_end = scopes_.empty();
  deadlock_.sufficient = sufficient_size(requirement_, deadlock_.resource);
  error_ = describe_deadlock(deadlock_);
  mode_ = Mode::stopped;
}

}  // namespace pto2
