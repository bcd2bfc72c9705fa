/// The shared memory of one run: rings, queues, flags and counters, for one policy and fan-out.
///
/// It is made for one run and thrown away with it, so no run starts on counters of another. The
/// large arrays are lazily zeroed memory (mapped_array.hpp): making it costs what is used. After a
/// run that ended well the next one may have their memory, cleared.
#pragma once

#include <array>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "core/admission.hpp"
#include "core/block_parts.hpp"
#include "core/cluster_pool.hpp"
#include "core/fatal_latch.hpp"
#include "core/kernel_waits.hpp"
#include "core/parked_schedulers.hpp"
#include "core/pinned_dispatch.hpp"
#include "core/stall_detector.hpp"
#include "core/startup.hpp"
#include "runtime/chip/ai_core.hpp"
#include "runtime/executors/execution_policy.hpp"
#include "runtime/executors/machine.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/guard/memory_guard.hpp"
#include "runtime/run/argument_blocks.hpp"
#include "runtime/run/config.hpp"
#include "runtime/run/kernel_fault.hpp"
#include "runtime/run/owned_queues.hpp"
#include "runtime/run/pipe_fault.hpp"

namespace pto2 {

/// What a scheduler needs to know of a task to dispatch it. Written for every task, so it is kept
/// small.
struct TaskDescriptor : TaskRoute {
  TaskId id = no_task;
  KernelEntry kernel = nullptr;
  TaskArguments arguments;
};
static_assert(sizeof(TaskDescriptor) == 32);

/// What a scheduler needs to know of a block task besides.
struct BlockShape {
  const ClusterId* clusters = nullptr;  ///< of each part, until the task has completed; null: any
  uint32_t params = 0;  ///< arguments of the task, without those that parts have besides
};

/// What a slot has besides for a block task. Kept apart, so that others do not touch it.
template <executors::ExecutionPolicy P>
struct alignas(cache_line) BlockState {
  BlockParts<P> parts;
  typename P::template cell<BlockShape> shape;
};

template <executors::ExecutionPolicy P, template <class> class F>
struct alignas(cache_line) RuntimeSlot : TaskSlot<P, F> {
  typename P::template cell<TaskDescriptor> descriptor;
  typename PinnedInbox<P>::Link pinned_link;
};

/// The arrays of one ring.
template <executors::ExecutionPolicy P, template <class> class F>
struct RingArrays {
  explicit RingArrays(const DeviceConfig& config)
      : slots(config.window),
        arguments(config.window),
        argument_blocks(config.window),
        blocks(config.window),
        nodes(std::size_t{config.dep_pool} + 1),
        heap_ends(config.window),
        pool_marks(config.window),
        heap_memory(config.heap_bytes) {}
  RingArrays(const RingArrays&) = delete;
  RingArrays& operator=(const RingArrays&) = delete;

  /// Nobody uses the arrays any more: the next run may have their memory, but for the heap's, of
  /// which nobody knows what kernels have written. `tasks` were ever admitted, and took `taken`
  /// nodes.
  void keep_memory(uint64_t tasks, uint64_t taken) {
    slots.keep_for_the_next(tasks);
    arguments.keep_for_the_next(tasks);
    argument_blocks.keep_memory();
    blocks.keep_for_the_next(blocks_end);
    nodes.keep_for_the_next(taken + 1);
    heap_ends.keep_for_the_next(tasks);
    pool_marks.keep_for_the_next(tasks);
  }

  typename P::template shared_array<RuntimeSlot<P, F>> slots;
  typename P::template shared_array<typename P::template cell<TaskArguments>> arguments;
  ArgumentBlocks argument_blocks;  // the orchestrator's
  typename P::template shared_array<BlockState<P>> blocks;
  uint64_t blocks_end = 0;  // the orchestrator's: no block task has had a slot from here on
  typename P::template shared_array<DependencyNode<P>> nodes;
  MappedArray<uint64_t> heap_ends;
  MappedArray<uint64_t> pool_marks;
  MappedBytes heap_memory;
};

/// What the calls of all kernels share.
struct CallState {
  explicit CallState(const DeviceConfig& device)
      : guard(device.guard == GuardKind::off
                  ? nullptr
                  : std::make_unique<guard::MemoryGuard>(device.rings, device.window,
                                                         device.chip.workers(),
                                                         device.guard == GuardKind::all)) {}
  /// Null: nothing is guarded.
  [[nodiscard]] KernelGuard* guard_of(WorkerId worker) const {
    return guard == nullptr ? nullptr : &guard->of(worker.value);
  }

  /// Whether some kernel of the run has waited for another one.
  [[nodiscard]] bool kernels_wait() const { return waits != nullptr && waits->has_begun(); }

  PTORun run{};
  const KernelWaits<executors::Machine>* waits = nullptr;  ///< null: no launch, so they cannot
  std::unique_ptr<guard::MemoryGuard> guard;               ///< null: nothing is guarded
};

/// Where a run was given up.
struct FatalDetails {
  uint64_t submitted = 0;   ///< tasks by then, and for good; 0 for the fault of a kernel
  PipeFault pipe = {};      ///< only for the fault of a pipe
  KernelFault kernel = {};  ///< for the other faults of kernels
};

template <executors::ExecutionPolicy P, template <class> class F>
class RunState final : public GivenUp {
 public:
  using Slot = RuntimeSlot<P, F>;
  using Life = TaskLifeCycle<P, Slot>;
  using Bell = typename P::doorbell;

  /// `config` must be valid.
  explicit RunState(const DeviceConfig& device)
      : config(device),
        rings(make_rings(device)),
        admission(memory()),
        life(admission.life()),
        ready{OwnedQueues<P>(device, CoreType::cube), OwnedQueues<P>(device, CoreType::vector),
              OwnedQueues<P>(device, CoreType::ai_cpu),
              OwnedQueues<P>(device, CoreType::accelerator)},
        finished(device.chip.schedulers),
        stall(finished),
        cluster_words(device.chip.clusters / 64 + 1),
        cluster_members(device.chip.clusters),
        clusters(cluster_words, cluster_members),
        inboxes(device.chip.schedulers),
        calls(device),
        cores(device.chip.cores()),
        scheduler_bells(device.chip.schedulers) {}
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  [[nodiscard]] typename P::template cell<TaskArguments>& arguments(SlotId slot) {
    return rings[ring_of(slot).value]->arguments[index_of(slot)];
  }
  [[nodiscard]] BlockState<P>& block(SlotId slot) {
    return rings[ring_of(slot).value]->blocks[index_of(slot)];
  }

  /// The same by the orchestrator, for a block task that is to have the slot.
  [[nodiscard]] BlockState<P>& block_to_open(SlotId slot) {
    uint64_t& end = rings[ring_of(slot).value]->blocks_end;
    end = std::max<uint64_t>(end, index_of(slot) + 1);
    return block(slot);
  }

  /// By who has consumed this task: moves the watermark of its ring as far as it goes. Records the
  /// tasks that are reclaimed by it; `cas_retries` grows by the races that were lost.
  void advance(TaskId consumed, EventLog& log, uint64_t& cas_retries) {
    const Advance result =
        life.advance(consumed, [&](TaskId passed) { record<P>(log, EventKind::reclaim, passed); });
    if (result == Advance::lost_race) ++cas_retries;
  }

  /// A task that is pinned to `cluster` became ready: hands it to the cluster's scheduler.
  void push_pinned(SlotId task, ClusterId cluster) {
    const SchedulerId owner = config.chip.scheduler_of(cluster);
    inboxes[owner.value].push(task, life.slot(task).pinned_link);
    scheduler_bells[owner.value].ring();
  }

  /// A task of the group that holds `cluster` has ended.
  void leave_cluster(ClusterId cluster, EventLog& log) {
    if (clusters.leave(cluster)) record<P>(log, EventKind::give_back, no_task, cluster.value);
  }

  /// After a task of core type `type` became ready and was pushed: wakes a scheduler that has an
  /// idle core for it, if one sleeps.
  void wake_one(uint32_t type) { ring(parked[type].take_one()); }
  /// The same after a push to the orchestrator's queue.
  void wake_one_peeking(uint32_t type) { ring(parked[type].take_one_peeking()); }
  void ring_schedulers() {
    for (Bell& bell : scheduler_bells) bell.ring();
  }
  void latch(ErrorCode code, const FatalDetails& details) {
    fatal.latch(static_cast<int32_t>(code), details);
    has_failed.store(true);
  }
  /// By who ran the kernel that is to blame, or lacks memory: gives the run up. The task must never
  /// complete.
  void give_up(ErrorCode code, const FatalDetails& details) {
    latch(code, details);
    ring_schedulers();
    orchestrator_bell.ring();
  }
  void give_up(const KernelFault& fault) override {
    give_up(kernel_fault_code(fault), {.submitted = 0, .pipe = {}, .kernel = fault});
  }
  [[nodiscard]] bool is_given_up() const override { return fatal.is_set(); }
  /// By the orchestrator, before it submits the first task that runs neither on a cube nor on a
  /// vector core. From then on the schedulers look for such tasks; until then they save the looks.
  /// Whoever sleeps is rung: it has not announced itself for them (PS-I1).
  void expect_rare_types() {
    rare_types.set();
    ring_schedulers();
  }

  /// For who is none of the run's threads, and may be none of a simulation's: `fatal` is set.
  executors::Machine::atomic<bool> has_failed{false};
  DeviceConfig config;
  std::vector<std::unique_ptr<RingArrays<P, F>>> rings;
  Admission<P, Slot> admission;  // the orchestrator's, but for the life cycle
  Life& life;
  std::array<OwnedQueues<P>, core_types> ready;  // by core type
  std::vector<FinishedCount<P>> finished;
  StallDetector<P> stall;
  std::vector<typename ClusterPool<P>::Word> cluster_words;
  std::vector<typename ClusterPool<P>::Members> cluster_members;
  ClusterPool<P> clusters;
  std::vector<PinnedInbox<P>> inboxes;                 // by scheduler
  std::array<ParkedSchedulers<P>, core_types> parked;  // by the type of their idle cores
  Startup<P> startup;
  Flag<P> rare_types;  // tasks of type ai_cpu or accelerator may come
  FatalLatch<P, FatalDetails> fatal;
  CallState calls;
  std::vector<AiCore<P>> cores;  // numbered as the chip's
  std::vector<Bell> scheduler_bells;
  Bell orchestrator_bell;

 private:
  void ring(std::optional<SchedulerId> scheduler) {
    if (scheduler) scheduler_bells[scheduler->value].ring();
  }
  static std::vector<std::unique_ptr<RingArrays<P, F>>> make_rings(const DeviceConfig& device) {
    std::vector<std::unique_ptr<RingArrays<P, F>>> rings;
    for (uint32_t r = 0; r < device.rings; ++r) {
      rings.push_back(std::make_unique<RingArrays<P, F>>(device));
    }
    return rings;
  }
  std::vector<RingMemory<P, Slot>> memory() {
    std::vector<RingMemory<P, Slot>> result;
    for (auto& ring : rings) {
      result.push_back({ring->slots.span(), ring->nodes.span(), ring->heap_ends.span(),
                        ring->pool_marks.span(), config.heap_bytes});
    }
    return result;
  }
};

}  // namespace pto2
