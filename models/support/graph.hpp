/// The runtime in miniature around Admission and TaskLifeCycle, with cells for buffers.
///
/// Role 0, the orchestrator, submits a graph; the other roles are workers. Task number n runs on
/// worker n mod workers, and each worker runs its tasks in order. A task reads the buffers of its
/// producers, writes its own, and completes as the scheduler does it. What the scenarios on it
/// check:
///
///   exactly once     each task is pushed once, and runs once                            FI-I1
///   data             a task reads what its producers wrote; no cell is raced for        FI-I3
///   no reuse         no slot, buffer or node is reused while someone can reach it       LC-I4
///   admission        what a task needs is taken at once, and never waited for in vain   AD-I1
///   progress         every role returns                                                 TS-I3
///   watermark        it reaches the end of each ring                                    WM-I3
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "core/admission.hpp"
#include "core/stall_detector.hpp"
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

/// The memory of one ring.
template <Policy P, template <class> class F>
struct GraphRing {
  explicit GraphRing(const GraphShape& shape)
      : slots(shape.window),
        nodes(shape.nodes + 1),
        ends(shape.window),
        marks(shape.window),
        buffers(shape.heap_units) {}

  std::vector<GraphSlot<P, F>> slots;
  std::vector<DependencyNode<P>> nodes;
  std::vector<uint64_t> ends;
  std::vector<uint64_t> marks;
  std::vector<typename P::template cell<uint32_t>> buffers;
};

/// Base of the scenarios on a graph, with `workers` workers.
template <Policy P, template <class> class F, uint32_t workers>
class Graph : public Roles<P, 1 + workers> {
 public:
  explicit Graph(const GraphShape& shape)
      : shape_(shape),
        rings_(make_rings(shape)),
        admission_(memory()),
        handed_(shape.tasks),
        infos_(shape.tasks) {}

  /// After the roles: everything is reclaimed, and nothing is left.
  void finish() {
    check<P>(submitted_ == shape_.tasks, "the scenario submitted what its shape announces");
    const StallDetector<P> stall(finished_);
    check<P>(stall.quiescent(submitted_), "every task has finished");
    check<P>(stall.invariant_holds(submitted_), "the counts are whole");
    admission_.observe();
    for (uint32_t i = 0; i < rings_.size(); ++i) {
      const auto& ring = admission_.ring(RingId(i));
      const uint64_t alive = admission_.alive(RingId(i));
      check<P>(alive == ring.tasks.next(), "the watermark reached the end of its ring");
      check<P>(ring.pool.used(alive) == 0, "no dependency node is in use");
      check_ring(RingId(i));
    }
    check<P>(life().invariant_holds(), "the life cycle is whole");
  }

 protected:
  // The orchestrator's.

  /// Submits the next task to `ring`, with `units` of its heap as output; `producers` are numbers
  /// of earlier tasks.
  void submit(std::initializer_list<uint32_t> producers, RingId ring = 0, uint32_t units = 1) {
    std::array<TaskId, 4> ids;
    const Demand demand = reserve(producers, ring, units, ids);
    const bool recycles = admission_.ring(ring).tasks.next() >= shape_.window;
    if (recycles) happened<P>("a slot is recycled");
    const uint64_t top = admission_.ring(ring).heap.top();
    std::array<Claim, 4> claims;
    const HeapPlacement placement = admission_.ring(ring).heap.placement(demand.heap_bytes);
    const auto task = admission_.admit(demand, retries_,
                                       [&](uint32_t i, Claim claim) { tell(claims[i] = claim); });
    if (placement.restarted) happened<P>("the drained heap starts over");
    if (placement.end < top) happened<P>("the heap wraps");
    check_ring(ring);
    const uint32_t number = submitted_++;
    const auto buffer = static_cast<uint32_t>(ring.value << 16 | task.heap_begin / unit_bytes);
    infos_[number] = {task.id, number, buffer, units};
    GraphDescriptor descriptor{.number = number, .buffer = buffer, .units = units};
    for (uint32_t i = 0; i < demand.producers.size(); ++i) {
      if (claims[i] == Claim::none) continue;
      const TaskInfo& producer = info_of(demand.producers[i]);
      descriptor.read[descriptor.reads++] = {producer.buffer, producer.units, producer.number + 1};
    }
    const SlotId slot = life().slot_id(task.id);
    life().slot(slot).descriptor.write(descriptor);
    if (admission_.release(task)) push(slot);
  }

  /// Ends a scope that holds tasks first..last.
  void end_scope(uint32_t first, uint32_t last) {
    for (uint32_t number = first; number <= last; ++number) {
      const TaskId id = infos_[number].id;
      if (!life().drop_scope(life().slot_of(id))) continue;
      happened<P>("the scope's drop is the last");
      advance(id);
    }
  }

  // A worker's.

  /// Runs the tasks of worker `worker` (from 0) as they become ready.
  void work(uint32_t worker) {
    for (uint32_t number = worker; number < shape_.tasks; number += workers) {
      run_and_complete(number, worker);
    }
  }
  /// One task, once it has been handed over.
  void run_and_complete(uint32_t number, uint32_t worker) {
    uint32_t handed = 0;
    P::await([&] {
      handed = handed_[number].slot.load(std::memory_order_acquire);
      return handed != 0;
    });
    const SlotId slot{handed - 1};
    run_kernel(number, slot);
    complete(number, slot, worker);
  }

 private:
  using Slot = GraphSlot<P, F>;
  using Life = TaskLifeCycle<P, Slot>;

  struct TaskInfo {
    TaskId id = no_task;
    uint32_t number = 0;
    uint32_t buffer = 0;
    uint32_t units = 0;
  };

  /// Waits until slot, buffer and nodes fit, with an old view of the watermarks if that will do.
  /// What the task asks for then; the producers that are not reclaimed are in `ids`.
  Demand reserve(std::initializer_list<uint32_t> producers, RingId ring, uint64_t units,
                 std::array<TaskId, 4>& ids) {
    Demand demand{.ring = ring, .heap_bytes = units * unit_bytes, .producers = {}, .owners = {}};
    const auto lacks = [&] {
      uint32_t live = 0;
      for (const uint32_t producer : producers) {
        if (!admission_.is_reclaimed(infos_[producer].id)) ids[live++] = infos_[producer].id;
      }
      demand.producers = std::span(ids).first(live);
      return admission_.lacking(demand).has_value();
    };
    if (!lacks()) return demand;
    happened<P>("the orchestrator looks again");
    P::await([&] {
      admission_.observe();
      return !lacks();
    });
    return demand;
  }

  const TaskInfo& info_of(TaskId id) const {
    return *std::find_if(infos_.begin(), infos_.end(),
                         [&](const TaskInfo& info) { return info.id == id; });
  }

  void run_kernel(uint32_t number, SlotId slot) {
    const GraphDescriptor descriptor = life().slot(slot).descriptor.read();
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

  void complete(uint32_t number, SlotId slot, uint32_t worker) {
    typename Life::Completion completion(life(), slot, scratch_[worker]);
    if (completion.consumed()) {
      happened<P>("closing is the last drop");
      advance(infos_[number].id);
    }
    completion.notify_consumers([this](SlotId consumer) { push(consumer); });
    completion.drop_producers([this](TaskId producer) {
      happened<P>("a consumer's drop is the last");
      advance(producer);
    });
    finished_[worker].add(1);
    this->bells[0].ring();
  }

  /// Hands a ready task to its worker, as a ready queue does: release, acquire.
  void push(SlotId slot) {
    const uint32_t number = life().slot(slot).descriptor.read().number;
    const uint32_t before =
        handed_[number].slot.exchange(slot.value + 1, std::memory_order_release);
    check<P>(before == 0, "a task is pushed once");
    this->bells[1 + number % workers].ring();
  }

  void advance(TaskId consumed) {
    const Advance result = life().advance(consumed, [&](TaskId passed) {
      check<P>(local_of(passed) < shape_.tasks, "the watermark passes only tasks");
    });
    if (result == Advance::lost_race) happened<P>("an advance is lost to another thread");
  }

  /// The orchestrator's books of a ring are whole, and refuse what they must.
  void check_ring(RingId number) {
    const auto& ring = admission_.ring(number);
    const uint64_t alive = admission_.alive(number);
    check<P>(ring.invariant_holds(alive), "the ring is whole");
    check<P>(ring.heap.top() < ring.heap.size(), "the heap ring is never full");
    check<P>(packed_bytes_with(unit_bytes, 1) == 2 * unit_bytes, "outputs take whole units");
    const uint64_t beyond = packed_bytes_with(unit_bytes, unplaceable_bytes - 1 - alive);
    check<P>(!ring.heap.placement(beyond).fits, "what overflows is never placed");
    const uint64_t both = packed_bytes_with(unplaceable_bytes - unit_bytes, beyond / 2);
    check<P>(!ring.heap.placement(both).fits, "nor what overflows as a whole");
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

  static constexpr uint64_t unit_bytes = packed_output_alignment;
  using Ring = GraphRing<P, F>;

  /// A task that is ready.
  struct Handed {
    typename P::template atomic<uint32_t> slot{0};  ///< + 1; 0 until it is
  };

  static std::vector<std::unique_ptr<Ring>> make_rings(const GraphShape& shape) {
    std::vector<std::unique_ptr<Ring>> rings;
    for (uint32_t i = 0; i < shape.rings; ++i) rings.push_back(std::make_unique<Ring>(shape));
    return rings;
  }
  std::vector<RingMemory<P, Slot>> memory() {
    std::vector<RingMemory<P, Slot>> result;
    for (auto& ring : rings_) {
      result.push_back(
          {ring->slots, ring->nodes, ring->ends, ring->marks, ring->buffers.size() * unit_bytes});
    }
    return result;
  }
  Life& life() { return admission_.life(); }

  GraphShape shape_;
  std::vector<std::unique_ptr<Ring>> rings_;
  Admission<P, Slot> admission_;
  std::vector<Handed> handed_;  // by task
  std::array<FinishedCount<P>, workers> finished_;
  std::array<std::array<TaskId, 4>, workers> scratch_;
  // The orchestrator's.
  std::vector<TaskInfo> infos_;
  uint32_t submitted_ = 0;
  uint64_t retries_ = 0;
};

}  // namespace pto2::scenarios
