/// Admission: how a task enters its ring. The rings, the life cycle and the steps of a submission
/// in their order, for whoever submits: an orchestrator, or a program that knows its graph.
///
///   fits()      whether a slot, heap bytes, and dependency nodes are free; lacking() says which
///               of them is not
///   admit()     takes all of them, opens the task, claims its producers and holds its owners
///   release()   drops the submitter's hold: what was written of the task is published
///
/// Between admit() and release() the submitter writes what the task is (its descriptor, its
/// arguments). By then the place of its buffer is known, nobody else knows the task, and whatever
/// it names of a producer's or an owner's stays where it is, because that one is held. What is
/// written needs no order of its own: release() publishes all of it (fan_in.release_hold).
///
/// Write rights: one submitter for all rings. Completers reach the life cycle and the
/// watermarks, and look at the mark that is awaited.
///
///   AD-I1: slot, heap bytes and nodes of a task are taken together, and before its first claim.
///          Waiting for one while holding another, or a claim, could wait for itself.
///   AD-I2: a producer is claimed only if it is not reclaimed in the submitter's view; its slot
///          holds it still, because slots are taken by that view, too.
///   AD-I3: the view of a watermark is never ahead of it, nor of what was submitted.
///   AD-P1: there are 1..max_rings rings.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "core/awaited_mark.hpp"
#include "core/dependency_pool.hpp"
#include "core/heap_ring.hpp"
#include "core/task_life_cycle.hpp"
#include "core/task_ring.hpp"

namespace pto2 {

/// The memory of one ring, zeroed. It outlives the admission.
template <Policy P, class Slot>
struct RingMemory {
  std::span<Slot> slots;               ///< window of them, a power of two
  std::span<DependencyNode<P>> nodes;  ///< capacity + 1 of them; entry 0 is unused
  std::span<uint64_t> heap_ends;       ///< window of them
  std::span<uint64_t> pool_marks;      ///< window of them
  uint64_t heap_bytes = 0;             ///< of the heap, whose memory is the caller's affair
};

/// What a submission asks for.
struct Demand {
  RingId ring = 0;
  uint64_t heap_bytes = 0;            ///< a multiple of the output alignment
  std::span<const TaskId> producers;  ///< to wait for; each once
  std::span<const TaskId> owners;     ///< of buffers it uses without waiting; no producers, alive
};

/// What a submission lacks, in the order in which it is looked for.
enum class Lack : uint8_t { slot, heap_bytes, nodes };

template <Policy P, class Slot>
class Admission {
 public:
  using Life = TaskLifeCycle<P, Slot>;
  using Memory = RingMemory<P, Slot>;

  /// A task that was admitted and is still the submitter's.
  struct Admitted {
    TaskId id;
    SlotId slot_id;
    Slot* slot;
    uint64_t heap_begin;  ///< of its packed buffer
    uint32_t first_node;  ///< index of its nodes in the ring's
    uint32_t nodes;       ///< one for each producer and owner
    uint32_t absent;      ///< producers and owners that will not notify it

    /// The same in memory of its own, for functions apart: so the task itself can stay in
    /// registers.
    [[nodiscard, gnu::always_inline]] Admitted apart() const {
      return {id, slot_id, slot, heap_begin, first_node, nodes, absent};
    }
  };

  /// One ring, and the submitter's books of it.
  struct Ring {
    Ring(RingId ring, const Memory& memory)
        : number(ring),
          slots(memory.slots.data()),
          tasks(static_cast<uint32_t>(memory.slots.size())),
          heap(tasks, memory.heap_ends, memory.heap_bytes),
          pool(tasks, memory.pool_marks, static_cast<uint32_t>(memory.nodes.size() - 1)) {}
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    /// Observes the watermark, and derives what is free from it.
    uint64_t observe() {
      const uint64_t alive = watermark.observe();
      if (alive == tasks.alive()) return alive;
      PTO2_INVARIANT("AD-I3", alive <= tasks.next());
      tasks.observe(alive);
      heap.observe();
      pool.observe();
      return alive;
    }

    /// True if a slot, so many bytes of the heap and so many nodes are free, as far as is known.
    [[nodiscard]] bool fits(uint64_t heap_bytes, uint32_t nodes) const {
      return tasks.fits() && heap.fits(heap_bytes) && pool.fits(nodes);
    }

    /// Takes all of that, which fits, for the ring's next task, and opens it.
    [[nodiscard, gnu::always_inline]] Admitted take(uint64_t heap_bytes, uint32_t nodes) {
      // Twice, so that what was read of the books need not be read again behind the rare one.
      if (heap.is_room_behind_top(heap_bytes)) [[likely]]
        return open(heap.take_behind_top(heap_bytes), nodes);
      return open(heap.take_elsewhere(heap_bytes), nodes);
    }

    /// True if the submitter's books are whole, given a watermark.
    [[nodiscard]] bool invariant_holds(uint64_t alive) const {
      return tasks.invariant_holds(alive) && heap.invariant_holds(alive) &&
             pool.invariant_holds(alive);
    }

    Watermark<P> watermark;
    RingId number;
    Slot* slots;
    TaskRing tasks;
    HeapRing heap;
    DependencyPool pool;

   private:
    /// The next task, which has its place in the heap. What is written by slot comes last: for all
    /// that the compiler knows it could be the books.
    [[nodiscard, gnu::always_inline]] Admitted open(uint64_t heap_begin, uint32_t nodes) {
      const uint32_t first_node = pool.take(nodes);
      const uint64_t local = tasks.take();
      const uint32_t index = tasks.slot(local);
      Slot& slot = slots[index];
      const TaskId id = make_id(number, local);
      heap.note_end(index);
      pool.set_mark(index);
      Life::open(slot, id, first_node, nodes);
      return {id, make_slot(number, index), &slot, heap_begin, first_node, nodes, 0};
    }
  };

  /// 1..max_rings rings.
  explicit Admission(std::span<const Memory> memory)
      : count_(static_cast<uint32_t>(memory.size())),
        life_(std::span<const LifeRing>(open_rings(memory)).first(count_)) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  [[nodiscard]] Life& life() { return life_; }
  [[nodiscard]] const Life& life() const { return life_; }
  [[nodiscard]] uint32_t rings() const { return count_; }
  [[nodiscard]] const Ring& ring(RingId number) const { return *rings_[number.value]; }
  /// For its submitter.
  [[nodiscard]] Ring& ring(RingId number) { return *rings_[number.value]; }

  // The submitter's view of the watermarks.

  void observe() {
    for (uint32_t ring = 0; ring < count_; ++ring) alive_[ring] = rings_[ring]->observe();
  }
  /// Before and after a wait: what is waited for.
  [[nodiscard]] AwaitedMark<P>& awaited() { return awaited_; }
  [[nodiscard]] const std::array<uint64_t, max_rings>& alive() const { return alive_; }
  [[nodiscard]] uint64_t alive(RingId ring) const { return alive_[ring.value]; }
  [[nodiscard]] bool is_reclaimed(TaskId id) const {
    return local_of(id) < alive_[ring_of(id).value];
  }

  /// By completers, after the watermarks were moved: whether the submitter is to be rung.
  [[nodiscard]] bool is_awaited() const {
    return awaited_.is_reached([this](RingId number) -> const auto& {
      return ring(number).watermark;
    });
  }

  // The steps of a submission.

  /// True if all fits by the submitter's view: the task can be admitted.
  [[nodiscard]] bool fits(const Demand& demand) const {
    return ring(demand.ring).fits(demand.heap_bytes, nodes_of(demand));
  }
  /// What does not fit, or nothing.
  [[nodiscard]] std::optional<Lack> lacking(const Demand& demand) const {
    if (fits(demand)) return std::nullopt;
    const Ring& ring = *rings_[demand.ring.value];
    if (!ring.tasks.fits()) return Lack::slot;
    if (!ring.heap.fits(demand.heap_bytes)) return Lack::heap_bytes;
    return Lack::nodes;
  }

  /// Admits the next task of the ring, which lacks nothing. `claimed(i, claim)` is told what
  /// the claim of producer number i came to; `retries` as in TaskWord::claim.
  template <class Claimed>
  [[nodiscard]] Admitted admit(const Demand& demand, uint64_t& retries, Claimed claimed) {
    Admitted task = ring(demand.ring).take(demand.heap_bytes, nodes_of(demand));
    if (task.nodes != 0) {
      task.absent = claim_all(task.slot_id, task.first_node, demand, retries, claimed);
    }
    return task;
  }
  /// Its second part, of a task that has nodes; the first is Ring::take(). Returns how many of them
  /// will not notify.
  template <class Claimed>
  [[nodiscard]] uint32_t claim_all(SlotId task, uint32_t first_node, const Demand& demand,
                                   uint64_t& retries, Claimed claimed) {
    auto edges = life_.edges(task, first_node);
    auto absent = static_cast<uint32_t>(demand.owners.size());
    for (const TaskId& producer : demand.producers) {
      const Claim claim = edges.claim(producer, retries);
      claimed(static_cast<uint32_t>(&producer - demand.producers.data()), claim);
      if (claim == Claim::linked) continue;
      ++absent;
      // Who is reclaimed is consumed, so that the others need no look.
      PTO2_INVARIANT("AD-I2", claim != Claim::none || !is_reclaimed(producer));
    }
    if (!demand.owners.empty()) [[unlikely]]
      hold_all(task, edges.next_node(), demand.owners);
    return absent;
  }

  /// Publishes what the submitter has written of the task. True: the task is ready, push it.
  [[nodiscard]] bool release(const Admitted& task) {
    return Life::release_hold(*task.slot, task.absent);
  }

 private:
  using LifeRing = LifeCycleRing<P, Slot>;

  static uint32_t nodes_of(const Demand& demand) {
    return static_cast<uint32_t>(demand.producers.size() + demand.owners.size());
  }

  /// Of a task whose producers are claimed: the next of its nodes is this one. Apart, since most
  /// tasks read what they write, or write what is new.
  [[gnu::noinline]] void hold_all(SlotId task, uint32_t next_node, std::span<const TaskId> owners) {
    auto edges = life_.edges(task, next_node);
    for (const TaskId owner : owners) {
      PTO2_INVARIANT("AD-I2", !is_reclaimed(owner));
      edges.hold(owner);
    }
  }

  std::array<LifeRing, max_rings> open_rings(std::span<const Memory> memory) {
    PTO2_INVARIANT("AD-P1", !memory.empty() && memory.size() <= max_rings);
    std::array<LifeRing, max_rings> result;
    for (uint32_t i = 0; i < memory.size(); ++i) {
      Ring& ring = rings_[i].emplace(RingId(i), memory[i]);
      result[i] = {memory[i].slots, memory[i].nodes, &ring.watermark};
    }
    return result;
  }

  // The life cycle is read by all and written by none: it shares no line with the submitter's view,
  // which is written again and again. The rings, whole lines each, lie between them.
  uint32_t count_;
  std::array<uint64_t, max_rings> alive_{};
  std::array<std::optional<Ring>, max_rings> rings_;
  Life life_;
  AwaitedMark<P> awaited_;
};

}  // namespace pto2
