/// The shared memory of one run: rings, queues, flags and counters, for one policy and fan-out.
///
/// It is made for one run and thrown away with it, so no run starts on counters of another. The
/// large arrays are lazily zeroed memory (mapped_array.hpp): making it costs what is used.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/dependency_pool.hpp"
#include "core/fatal_latch.hpp"
#include "core/heap_ring.hpp"
#include "core/parked_schedulers.hpp"
#include "core/ready_queues.hpp"
#include "core/stall_detector.hpp"
#include "core/startup.hpp"
#include "core/task_life_cycle.hpp"
#include "core/task_ring.hpp"
#include "runtime/chip/ai_core.hpp"
#include "runtime/device/config.hpp"
#include "runtime/platform/mapped_array.hpp"

namespace pto2 {

/// What a scheduler needs to know of a task to dispatch it.
struct TaskDescriptor {
  TaskId id = no_task;
  KernelEntry kernel = nullptr;
  CoreType type = CoreType::cube;
};

template <class P, template <class> class F>
struct alignas(cache_line) RuntimeSlot : TaskSlot<P, F> {
  typename P::template cell<TaskDescriptor> descriptor;
};

/// The arrays of one ring, and the orchestrator's view of them.
template <class P, template <class> class F>
struct RingState {
  explicit RingState(const DeviceConfig& config)
      : slots(config.window),
        arguments(config.window),
        nodes(std::size_t{config.dep_pool} + 1),
        heap_ends(config.window),
        pool_marks(config.window),
        heap_memory(config.heap_bytes),
        tasks(config.window),
        heap(tasks, heap_ends.span(), config.heap_bytes),
        pool(tasks, pool_marks.span(), config.dep_pool) {}
  RingState(const RingState&) = delete;
  RingState& operator=(const RingState&) = delete;

  typename P::template shared_array<RuntimeSlot<P, F>> slots;
  typename P::template shared_array<typename P::template cell<TaskArguments>> arguments;
  typename P::template shared_array<DependencyNode<P>> nodes;
  MappedArray<uint64_t> heap_ends;
  MappedArray<uint64_t> pool_marks;
  MappedBytes heap_memory;
  Watermark<P> watermark;
  // The orchestrator's.
  TaskRing tasks;
  HeapRing heap;
  DependencyPool pool;
};

/// Where a run was given up.
struct FatalDetails {
  uint64_t submitted;  ///< tasks by then, and for good
};

template <class P, template <class> class F>
class RunState {
 public:
  using Slot = RuntimeSlot<P, F>;
  using Life = TaskLifeCycle<P, Slot>;
  using Queue = typename P::template bounded_queue<Place>;
  using Bell = typename P::doorbell;

  /// `config` must be valid.
  explicit RunState(const DeviceConfig& device)
      : config(device),
        rings(make_rings(device)),
        life(life_rings()),
        shards{make_shards(device), make_shards(device)},
        shard_pointers{pointers(shards[0]), pointers(shards[1])},
        ready{ReadyQueues<P>(shard_pointers[0]), ReadyQueues<P>(shard_pointers[1])},
        finished(device.schedulers),
        stall(finished),
        cores(std::size_t{3} * device.blocks),
        scheduler_bells(device.schedulers) {}
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  // Cores: cube c at c, vectors 2c and 2c + 1 of cluster c behind the cubes. Cluster c belongs to
  // scheduler c mod schedulers.
  [[nodiscard]] uint32_t cube_core(uint32_t cluster) const { return cluster; }
  [[nodiscard]] uint32_t vector_core(uint32_t cluster, uint32_t i) const {
    return config.blocks + 2 * cluster + i;
  }

  [[nodiscard]] typename P::template cell<TaskArguments>& arguments(Place slot) {
    return rings[ring_of(slot)]->arguments[index_of(slot)];
  }

  /// After a task of core type `type` became ready and was pushed: wakes a scheduler that has an
  /// idle core for it, if one sleeps.
  void wake_one(uint32_t type) {
    if (const auto s = parked[type].take_one()) scheduler_bells[*s].ring();
  }
  void ring_schedulers() {
    for (Bell& bell : scheduler_bells) bell.ring();
  }

  DeviceConfig config;
  std::vector<std::unique_ptr<RingState<P, F>>> rings;
  Life life;
  // Ready-queue shards per core type; the last of each is the orchestrator's.
  std::array<std::vector<std::unique_ptr<Queue>>, core_types> shards;
  std::array<std::vector<Queue*>, core_types> shard_pointers;
  std::array<ReadyQueues<P>, core_types> ready;
  std::vector<FinishedCount<P>> finished;
  StallDetector<P> stall;
  std::array<ParkedSchedulers<P>, core_types> parked;  // by the type of their idle cores
  Startup<P> startup;
  FatalLatch<P, FatalDetails> fatal;
  std::vector<AiCore<P>> cores;
  std::vector<Bell> scheduler_bells;
  Bell orchestrator_bell;

 private:
  static std::vector<std::unique_ptr<RingState<P, F>>> make_rings(const DeviceConfig& device) {
    std::vector<std::unique_ptr<RingState<P, F>>> rings;
    for (uint32_t r = 0; r < device.rings; ++r) {
      rings.push_back(std::make_unique<RingState<P, F>>(device));
    }
    return rings;
  }
  static std::vector<std::unique_ptr<Queue>> make_shards(const DeviceConfig& device) {
    std::vector<std::unique_ptr<Queue>> result;
    for (uint32_t i = 0; i < device.shards; ++i) {
      result.push_back(std::make_unique<Queue>(device.shard_capacity));
    }
    result.push_back(std::make_unique<Queue>(device.orchestrator_queue));
    return result;
  }
  static std::vector<Queue*> pointers(const std::vector<std::unique_ptr<Queue>>& owned) {
    std::vector<Queue*> result;
    for (const auto& queue : owned) result.push_back(queue.get());
    return result;
  }

  std::vector<LifeCycleRing<P, Slot>> life_rings() {
    std::vector<LifeCycleRing<P, Slot>> result;
    for (auto& ring : rings) {
      result.push_back({ring->slots.span(), ring->nodes.span(), &ring->watermark});
    }
    return result;
  }
};

}  // namespace pto2
