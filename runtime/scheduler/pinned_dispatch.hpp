/// Tasks that are pinned to a scheduler's clusters, on their way from its inbox
/// (core/pinned_dispatch.hpp) to the cores of those clusters, which alone can run them.
///
///   PN-I1: a pinned task, or a pinned part, runs on a core of its cluster and type.
///   PN-I2: the ticket of a block task whose parts are pinned goes from owner to owner, in turn,
///          until each has taken the parts of its clusters (BP-I1, BP-I4).
#pragma once

#include "runtime/run/pipe_trace.hpp"
#include "runtime/scheduler/pinned_lanes.hpp"
#include "runtime/scheduler/scheduler_desk.hpp"

namespace pto2 {

template <executors::ExecutionPolicy P, template <class> class F>
class PinnedDispatch {
 public:
  explicit PinnedDispatch(SchedulerDesk<P, F>& desk)
      : desk_(desk),
        inbox_(desk.state.inboxes[desk.id.value]),
        lanes_(desk.state.config.chip, desk.id) {}

  /// True if no pinned task waits here.
  [[nodiscard]] bool empty() const { return inbox_.empty() && lanes_.empty(); }
  /// Takes what is in the inbox, and sends what has an idle core. True: something was sent.
  bool dispatch();

 private:
  void take_parts(SlotId task, CoreType type);
  bool dispatch_to_cluster(ClusterId cluster, CoreType type, SlotId task, uint32_t part);
  void send(CoreId core, SlotId task, uint32_t part);

  SchedulerDesk<P, F>& desk_;
  PinnedInbox<P>& inbox_;
  PinnedLanes lanes_;
};

template <executors::ExecutionPolicy P, template <class> class F>
bool PinnedDispatch<P, F>::dispatch() {
  const auto link_of = [this](SlotId task) -> auto& {
    return desk_.state.life.slot(task).pinned_link;
  };
  inbox_.take_all(link_of, [this](SlotId task) {
    const TaskDescriptor descriptor = desk_.describe(task);
    // Without events, too: a trace changes no seeded schedule.
    if (descriptor.has_pipes) note_pipes(*desk_.state.arguments(task).reading());
    if (descriptor.is_block) {
      take_parts(task, descriptor.type);
    } else {
      lanes_.put(descriptor.cluster_id(), descriptor.type, task);
    }
  });
  bool progress = false;
  lanes_.for_each_waiting([&](ClusterId cluster, CoreType type, SlotId task, uint32_t part) {
    const bool dispatched = dispatch_to_cluster(cluster, type, task, part);
    progress |= dispatched;
    return dispatched;
  });
  return progress;
}

/// Of a block task: those that are pinned to clusters of this scheduler. The next owner is told.
template <executors::ExecutionPolicy P, template <class> class F>
void PinnedDispatch<P, F>::take_parts(SlotId task, CoreType type) {
  const Chip& chip = desk_.state.config.chip;
  BlockState<P>& block = desk_.state.block(task);
  const BlockShape shape = block.shape.read();
  uint32_t own = 0;
  uint32_t next = chip.schedulers;  // how many schedulers further the next owner is
  ClusterId next_cluster;
  for (uint32_t part = 0; part < block.parts.size(); ++part) {
    const ClusterId cluster = shape.clusters[part];
    const SchedulerId owner = chip.scheduler_of(cluster);
    if (owner == desk_.id) {
      lanes_.put(cluster, type, task, part);
      ++own;
      continue;
    }
    const uint32_t distance = (owner.value + chip.schedulers - desk_.id.value) % chip.schedulers;
    if (distance >= next) continue;
    next = distance;
    next_cluster = cluster;
  }
  if (!block.parts.take(own)) desk_.state.push_pinned(task, next_cluster);
}

/// False: no core of the cluster is idle.
template <executors::ExecutionPolicy P, template <class> class F>
bool PinnedDispatch<P, F>::dispatch_to_cluster(ClusterId cluster, CoreType type, SlotId task,
                                               uint32_t part) {
  const Chip& chip = desk_.state.config.chip;
  OwnCores::OfType& cores = desk_.cores[type];
  for (uint32_t i = 0; i < chip.cores_per_cluster(type); ++i) {
    const CoreId core = chip.core_at({type, cluster, i});
    if (!cores.idle.contains(core)) continue;
    desk_.cores.take(core);
    send(core, task, part);
    // Somebody may have woken this scheduler for the sake of that core.
    desk_.cores.note_more(static_cast<uint32_t>(type));
    return true;
  }
  return false;
}

/// A pinned task, or a part of it if it is a block task.
template <executors::ExecutionPolicy P, template <class> class F>
void PinnedDispatch<P, F>::send(CoreId core, SlotId task, uint32_t part) {
  const TaskDescriptor descriptor = desk_.describe(task);
  BlockShare<P> share;
  if (descriptor.is_block) {
    BlockState<P>& block = desk_.state.block(task);
    share = {&block.parts, part, block.shape.read().params};
  }
  ++desk_.counts.dispatches;
  record<P>(desk_.log, EventKind::dispatch, descriptor.id, core.value, static_cast<uint16_t>(part));
  desk_.send(core, task, descriptor, share);
}

}  // namespace pto2
