/// The runtime in miniature around TaskLifeCycle, with the real rings, heap and dependency pool.
///
/// Role 0, the orchestrator, submits a graph; the other roles are workers. Task number n runs on
/// worker n mod workers, and each worker runs its tasks in order. A task reads the buffers of its
/// producers, writes its own, and completes as the scheduler does it. What the scenarios on it
/// check:
///
///   exactly once     each task is pushed once, and runs once                            FI-I1
///   data             a task reads what its producers wrote; no cell is raced for        FI-I3
///   no reuse         no slot, buffer or node is reused while someone can reach it       LC-I4
///   progress         every role returns                                                 TS-I3
///   watermark        it reaches the end of each ring                                    WM-I3
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "core/dependency_pool.hpp"
#include "core/heap_ring.hpp"
#include "core/stall_detector.hpp"
#include "core/task_life_cycle.hpp"
#include "core/task_ring.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

/// Sizes of each ring.
struct GraphShape {
  uint32_t tasks = 2;
  uint32_t rings = 1;
  uint32_t window = 4;
  uint32_t nodes = 4;
  uint32_t heap_units = 4;
};

/// What a worker needs to know of a task.
struct GraphDescriptor {
  struct Read {
    uint32_t buffer;
    uint32_t units;
    uint32_t value;
  };
  uint32_t number = 0;
  uint32_t buffer = 0;
  uint32_t units = 0;
  uint32_t reads = 0;
  std::array<Read, 4> read{};
};

template <Policy P, template <class> class F>
struct GraphSlot : TaskSlot<P, F> {
  typename P::template cell<GraphDescriptor> descriptor;
};

/// One ring and the orchestrator's view of it.
template <Policy P, template <class> class F>
struct GraphRing {
  static constexpr uint64_t unit = packed_output_alignment;

  explicit GraphRing(const GraphShape& shape)
      : slots(shape.window),
        nodes(shape.nodes + 1),
        ends(shape.window),
        marks(shape.window),
        buffers(shape.heap_units),
        tasks(shape.window),
        heap(tasks, ends, shape.heap_units * unit),
        pool(tasks, marks, shape.nodes) {}

  std::vector<GraphSlot<P, F>> slots;
  std::vector<DependencyNode<P>> nodes;
  std::vector<uint64_t> ends;
  std::vector<uint64_t> marks;
  std::vector<typename P::template cell<uint32_t>> buffers;
  Watermark<P> watermark;
  TaskRing tasks;
  HeapRing heap;
  DependencyPool pool;
};

/// Base of the scenarios on a graph, with `workers` workers.
template <Policy P, template <class> class F, uint32_t workers>
class Graph : public Roles<P, 1 + workers> {
 public:
  explicit Graph(const GraphShape& shape)
      : shape_(shape),
        rings_(make_rings(shape)),
        life_(life_rings()),
        handed_(shape.tasks),
        infos_(shape.tasks) {}

  /// After the roles: everything is reclaimed, and nothing is left.
  void finish() {
    check<P>(submitted_ == shape_.tasks, "the scenario submitted what its shape announces");
    const StallDetector<P> stall(finished_);
    check<P>(stall.quiescent(submitted_), "every task has finished");
    check<P>(stall.invariant_holds(submitted_), "the counts are whole");
    for (auto& ring : rings_) {
      const uint64_t alive = ring->watermark.observe();
      check<P>(alive == ring->tasks.next(), "the watermark reached the end of its ring");
      check<P>(ring->watermark.invariant_holds(ring->tasks.next()), "the watermark is whole");
      check<P>(ring->pool.used(alive) == 0, "no dependency node is in use");
      check_rings(*ring, alive);
    }
    check<P>(life_.invariant_holds(), "the life cycle is whole");
  }

 protected:
  // The orchestrator's.

  /// Submits the next task to `ring`, with `units` of its heap as output; `producers` are numbers
  /// of earlier tasks.
  void submit(std::initializer_list<uint32_t> producers, uint32_t ring = 0, uint32_t units = 1) {
    GraphRing<P, F>& r = *rings_[ring];
    reserve(r, ring, producers.size(), units);
    std::array<TaskInfo, 4> live;
    const uint32_t edges = keep_live(producers, live);
    const uint32_t number = submitted_++;
    const uint64_t alive = alive_[ring];
    const HeapPlacement placement = r.heap.place(units * r.unit, alive);
    if (placement.restarted) happened<P>("the drained heap starts over");
    if (placement.end < r.heap.top()) happened<P>("the heap wraps");
    r.heap.take(placement, alive);
    const uint64_t first_node = r.pool.take(edges);
    const TaskId id = make_id(ring, r.tasks.take(alive));
    if (local_of(id) >= shape_.window) happened<P>("a slot is recycled");
    check_rings(r, alive);
    const auto buffer = static_cast<uint32_t>(ring << 16 | placement.begin / r.unit);
    infos_[number] = {id, number, buffer, units};
    life_.open(id, r.pool.index(first_node), edges);
    GraphDescriptor descriptor{.number = number, .buffer = buffer, .units = units};
    uint32_t absent = 0;
    for (uint32_t i = 0; i < edges; ++i) {
      const Claim claim = life_.add_edge(live[i].id, id, i, retries_);
      if (claim != Claim::linked) ++absent;
      tell(claim);
      if (claim == Claim::none) continue;
      descriptor.read[descriptor.reads++] = {live[i].buffer, live[i].units, live[i].number + 1};
    }
    life_.slot(life_.place(id)).descriptor.write(descriptor);
    if (life_.release_hold(id, absent)) push(life_.place(id));
  }

  /// Ends a scope that holds tasks first..last.
  void end_scope(uint32_t first, uint32_t last) {
    uint32_t rings = 0;
    for (uint32_t number = first; number <= last; ++number) {
      const TaskId id = infos_[number].id;
      if (!life_.drop_scope(id)) continue;
      happened<P>("the scope's drop is the last");
      rings |= 1u << ring_of(id);
    }
    advance(rings);
  }

  // A worker's.

  /// Runs the tasks of worker `worker` (from 0) as they become ready.
  void work(uint32_t worker) {
    for (uint32_t number = worker; number < shape_.tasks; number += workers) {
      uint32_t handed = 0;
      P::await([&] {
        handed = handed_[number].place.load(std::memory_order_acquire);
        return handed != 0;
      });
      const Place place{handed - 1};
      run_kernel(number, place);
      complete(place, worker);
    }
  }

 private:
  struct TaskInfo {
    TaskId id;
    uint32_t number;
    uint32_t buffer;
    uint32_t units;
  };

  /// Waits until slot, buffer and nodes fit, with an old view of the watermarks if that will do.
  void reserve(GraphRing<P, F>& r, uint32_t ring, uint64_t nodes, uint64_t units) {
    const auto fits = [&] {
      const uint64_t alive = alive_[ring];
      return r.tasks.fits(alive) && r.heap.place(units * r.unit, alive).fits &&
             r.pool.fits(nodes, alive);
    };
    if (fits()) return;
    happened<P>("the orchestrator looks again");
    P::await([&] {
      for (uint32_t i = 0; i < rings_.size(); ++i) alive_[i] = rings_[i]->watermark.observe();
      return fits();
    });
  }

  uint32_t keep_live(std::initializer_list<uint32_t> producers, std::array<TaskInfo, 4>& live) {
    uint32_t edges = 0;
    for (const uint32_t producer : producers) {
      const TaskInfo& info = infos_[producer];
      if (local_of(info.id) >= alive_[ring_of(info.id)]) live[edges++] = info;
    }
    return edges;
  }

  void run_kernel(uint32_t number, Place place) {
    const GraphDescriptor descriptor = life_.slot(place).descriptor.read();
    check<P>(descriptor.number == number, "the slot still holds the task that was handed over");
    for (uint32_t i = 0; i < descriptor.reads; ++i) {
      const auto& read = descriptor.read[i];
      for (uint32_t unit = 0; unit < read.units; ++unit) {
        check<P>(buffer(read.buffer + unit).read() == read.value,
                 "a producer's buffer holds its result");
      }
    }
    for (uint32_t unit = 0; unit < descriptor.units; ++unit) {
      buffer(descriptor.buffer + unit).write(number + 1);
    }
  }

  void complete(Place place, uint32_t worker) {
    typename Life::Completion completion(life_, place, scratch_[worker]);
    if (completion.consumed()) happened<P>("closing is the last drop");
    while (const auto consumer = completion.next_ready()) push(*consumer);
    while (completion.next_consumed()) happened<P>("a consumer's drop is the last");
    advance(completion.rings_to_advance());
    finished_[worker].add(1);
    this->bells[0].ring();
  }

  /// Hands a ready task to its worker, as a ready queue does: release, acquire.
  void push(Place place) {
    const uint32_t number = life_.slot(place).descriptor.read().number;
    const uint32_t before =
        handed_[number].place.exchange(place.value + 1, std::memory_order_release);
    check<P>(before == 0, "a task is pushed once");
    this->bells[1 + number % workers].ring();
  }

  void advance(uint32_t rings) {
    for (uint32_t ring = 0; rings >> ring != 0; ++ring) {
      if (!(rings >> ring & 1)) continue;
      for (;;) {
        const auto step = life_.advance(ring);
        if (step.result == Advance::lost_race) happened<P>("an advance is lost to another thread");
        if (step.result != Advance::advanced) break;
        check<P>(local_of(step.reclaimed) < shape_.tasks, "the watermark passes only tasks");
      }
    }
  }

  /// The orchestrator's structures are whole, given the watermark that it last saw.
  void check_rings(const GraphRing<P, F>& ring, uint64_t alive) {
    check<P>(ring.tasks.invariant_holds(alive), "the task ring is whole");
    check<P>(ring.heap.invariant_holds(alive), "the heap ring is whole");
    check<P>(ring.heap.top() < ring.heap.size(), "the heap ring is never full");
    const uint64_t beyond = packed_bytes_with(ring.unit, unplaceable_bytes - 1 - alive);
    check<P>(!ring.heap.place(beyond, alive).fits, "what overflows is never placed");
    check<P>(ring.pool.invariant_holds(alive), "the dependency pool is whole");
    check<P>(ring.pool.used(alive) <= ring.pool.capacity(), "the pool is within its capacity");
  }

  static void tell(Claim claim) {
    switch (claim) {
      case Claim::linked:
        return happened<P>("a consumer is linked");
      case Claim::early:
        return happened<P>("a consumer is early");
      case Claim::none:
        return happened<P>("a producer is consumed before it is claimed");
    }
  }

  typename P::template cell<uint32_t>& buffer(uint32_t index) {
    return rings_[index >> 16]->buffers[index & 0xffff];
  }

  using Slot = GraphSlot<P, F>;
  using Life = TaskLifeCycle<P, Slot>;
  using Ring = GraphRing<P, F>;

  /// A task that is ready.
  struct Handed {
    typename P::template atomic<uint32_t> place{0};  ///< + 1; 0 until it is
  };

  static std::vector<std::unique_ptr<Ring>> make_rings(const GraphShape& shape) {
    std::vector<std::unique_ptr<Ring>> rings;
    for (uint32_t i = 0; i < shape.rings; ++i) rings.push_back(std::make_unique<Ring>(shape));
    return rings;
  }
  std::vector<LifeCycleRing<P, Slot>> life_rings() {
    std::vector<LifeCycleRing<P, Slot>> result;
    for (auto& ring : rings_) result.push_back({ring->slots, ring->nodes, &ring->watermark});
    return result;
  }

  GraphShape shape_;
  std::vector<std::unique_ptr<Ring>> rings_;
  Life life_;
  std::vector<Handed> handed_;  // by task
  std::array<FinishedCount<P>, workers> finished_;
  std::array<std::array<TaskId, 4>, workers> scratch_;
  // The orchestrator's.
  std::vector<TaskInfo> infos_;
  std::array<uint64_t, max_rings> alive_{};
  uint32_t submitted_ = 0;
  uint64_t retries_ = 0;
};

}  // namespace pto2::scenarios
