/// The life cycle of a task, composed of the pieces: submit, fan-in, fan-out, lifetime, watermark.
///
///   submit (orchestrator)   open(); of its edges(), claim() per producer and hold() per owner of a
///                           buffer that it uses without waiting for it; release_hold()
///   complete (scheduler)    Completion: notify_consumers(), drop_producers()
///   scope end (orchestrator) drop_scope() per task
///   block tasks             hold_ticket() before release_hold(); drop_ticket()
///
/// Of all but submit some may say that a task is consumed by them; then advance() is called for it.
/// Edges may cross rings.
///
///   LC-I1: the completer reads nothing of its slot after close(): once nobody holds the task, the
///          slot can be recycled under its hands. The producers are copied first.
///   LC-I2: a node's next is read before its consumer is notified: the consumer may complete, and
///          its nodes are reused.
///   LC-I3: who drops the last reference of a task advances the watermark of its ring.
///   LC-I4: a task's slot, buffer and nodes are not reused while any thread can reach them.
///   LC-P1: there are 1..max_rings rings.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "core/fan_in.hpp"
#include "core/task_state.hpp"
#include "core/watermark.hpp"

namespace pto2 {

/// What the life cycle keeps per slot. The runtime's slots derive from it.
template <Policy P, template <class> class F>
struct TaskSlot {
  F<P> fan_out;
  FanIn<P> fan_in;
  typename P::template cell<uint32_t> first_node;  ///< index of the task's first node
  typename P::template cell<uint32_t> node_count;
};

/// The arrays of one ring. They outlive the life cycle.
template <Policy P, class Slot>
struct LifeCycleRing {
  std::span<Slot> slots;               ///< window of them, a power of two
  std::span<DependencyNode<P>> nodes;  ///< capacity + 1 of them; entry 0 is unused
  Watermark<P>* watermark = nullptr;
};

/// The entries of an array that each ring has. Addresses are counted from where entry 0 of ring 0
/// would be, so that the bits of the ring stay in what is added.
template <class T>
class EntriesOfRings {
 public:
  void set(RingId ring, T* first) {
    bases_[ring.value] = reinterpret_cast<uintptr_t>(first) -
                         (uintptr_t{ring.value} << entry_index_bits) * sizeof(T);
  }
  template <class Kind>
  [[nodiscard]] T& operator[](RingEntry<Kind> entry) const {
    return *reinterpret_cast<T*>(bases_[ring_of(entry).value] + uintptr_t{entry.value} * sizeof(T));
  }

 private:
  std::array<uintptr_t, max_rings> bases_{};
};

template <Policy P, class Slot>
class TaskLifeCycle {
 public:
  using Ring = LifeCycleRing<P, Slot>;

  /// 1..max_rings rings.
  explicit TaskLifeCycle(std::span<const Ring> rings) {
    PTO2_INVARIANT("LC-P1", !rings.empty() && rings.size() <= max_rings);
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const RingId ring(static_cast<uint32_t>(i));
      slots_by_entry_.set(ring, rings[i].slots.data());
      nodes_by_entry_.set(ring, rings[i].nodes.data());
      slots_[i] = rings[i].slots.data();
      slot_masks_[i] = static_cast<uint32_t>(rings[i].slots.size() - 1);
      nodes_[i] = rings[i].nodes.data();
      node_ends_[i] = rings[i].nodes.data() + rings[i].nodes.size();
      watermarks_[i] = rings[i].watermark;
    }
  }

  [[nodiscard]] Slot& slot(SlotId slot) const { return slots_by_entry_[slot]; }
  /// The slot of task `id`.
  [[nodiscard]] Slot& slot_of(TaskId id) const { return slot_at(ring_of(id), id.value); }
  [[nodiscard]] SlotId slot_id(TaskId id) const {
    const RingId ring = ring_of(id);
    return make_slot(ring, static_cast<uint32_t>(id.value) & slot_masks_[ring.value]);
  }

  // The orchestrator's verbs.

  /// The edges of a task that was opened and is not yet released, and the nodes that it has left.
  class Edges {
   public:
    /// Makes the task depend on `producer`, whose slot must hold it, through its next node.
    /// `retries` as in TaskWord::claim.
    [[nodiscard]] Claim claim(TaskId producer, uint64_t& retries) {
      next_->consumer.write(slot_);
      const Claim claim =
          life_.slot_of(producer).fan_out.claim(producer, next_id_, *next_, retries);
      if (claim == Claim::none) {
        life_.take_edge_from(slot_);
      } else {
        take_node(producer);
      }
      return claim;
    }

    /// Lets the task hold `owner`, which is not consumed, through its next node.
    void hold(TaskId owner) {
      take_node(owner);
      life_.slot_of(owner).fan_out.hold(owner);
    }

    /// The index of the next node.
    [[nodiscard]] uint32_t next_node() const { return index_of(next_id_); }

   private:
    friend class TaskLifeCycle;
    Edges(TaskLifeCycle& life, SlotId slot, uint32_t first_node)
        : life_(life),
          slot_(slot),
          next_id_(make_node(ring_of(slot), first_node)),
          next_(life.nodes_[ring_of(slot).value] + first_node),
          end_(life.node_ends_[ring_of(slot).value]) {}

    /// The nodes of a task are consecutive, from the last one on to the first: entry 0 is unused.
    void take_node(TaskId producer) {
      next_->producer.write(producer);
      ++next_;
      ++next_id_.value;
      if (next_ == end_) [[unlikely]] {
        next_ = life_.first_node(ring_of(slot_));
        next_id_ = make_node(ring_of(slot_), 1);
      }
    }

    TaskLifeCycle& life_;
    SlotId slot_;
    NodeId next_id_;
    DependencyNode<P>* next_;
    DependencyNode<P>* end_;  ///< behind the last of the ring
  };

  /// Starts task `id` in its slot, which must be reclaimed, with `node_count` nodes from index
  /// `first_node` on. The last of them stay unused if producers are found consumed.
  static void open(Slot& slot, TaskId id, uint32_t first_node, uint32_t node_count) {
    slot.first_node.write(first_node);
    slot.node_count.write(node_count);
    slot.fan_in.open(node_count);
    slot.fan_out.open(id);
  }
  /// What the edges of the task in `slot`, which was opened with this first node or has come to it,
  /// are made through.
  [[nodiscard]] Edges edges(SlotId slot, uint32_t first_node) {
    return Edges(*this, slot, first_node);
  }

  /// Holds the slot of `id`, which was opened and not yet released, for the ticket of a block task
  /// (block_parts.hpp).
  void hold_ticket(TaskId id) { slot_of(id).fan_out.hold(id); }

  /// Drops the orchestrator's hold of the task in `slot`; `absent` producers (early, none or held)
  /// will not notify. True: the caller pushes the task.
  [[nodiscard]] static bool release_hold(Slot& slot, uint32_t absent) {
    return slot.fan_in.release_hold(absent);
  }

  /// Drops the scope's reference to the task in `slot`. True: it is consumed, advance past it.
  [[nodiscard]] static bool drop_scope(Slot& slot) { return slot.fan_out.drop(); }

  // Anyone's verbs.

  /// Drops what hold_ticket() holds. True: the task is consumed, advance past it.
  [[nodiscard]] bool drop_ticket(SlotId task) { return slot(task).fan_out.drop(); }

  /// Phase of task `id`, which was submitted. It is ready from when it awaits no producer until it
  /// has completed: in a queue, on a core, or with its scheduler. For reports: exact while nobody
  /// works on the task, a moment old else. Not for who could see the slot recycled meanwhile.
  [[nodiscard]] Phase phase(TaskId id) {
    const Slot& slot = slot_of(id);
    const Phase phase = slot.fan_out.phase(id);
    return phase == Phase::initial && slot.fan_in.pending() == 0 ? Phase::ready : phase;
  }

  /// By who has consumed task `id`, after that: advances the watermark of its ring (LC-I3).
  /// `passed` is told of each task that is reclaimed by it.
  template <class Passed>
  Advance advance(TaskId id, Passed&& passed) {
    const RingId ring = ring_of(id);
    return watermarks_[ring.value]->advance(
        local_of(id),
        [&](uint64_t local) {
          return slot_at(ring, local).fan_out.is_consumed(make_id(ring, local));
        },
        [&](uint64_t local) { passed(make_id(ring, local)); });
  }

  /// True if the life cycle is whole. Requires that no verb is under way: no advance was lost,
  /// every task below a watermark is consumed, and no consumed task awaits a producer.
  [[nodiscard]] bool invariant_holds() const {
    for (uint32_t ring = 0; ring < max_rings && watermarks_[ring] != nullptr; ++ring) {
      const uint64_t alive = watermarks_[ring]->observe();
      const TaskId oldest = make_id(RingId(ring), alive);
      if (slot_of(oldest).fan_out.is_consumed(oldest)) return false;
      const uint64_t window = uint64_t{slot_masks_[ring]} + 1;
      for (uint64_t local = alive - std::min(alive, window); local < alive; ++local) {
        const TaskId id = make_id(RingId(ring), local);
        const Slot& slot = slot_of(id);
        if (!slot.fan_out.invariant_holds()) return false;
        if (slot.fan_out.phase(id) != Phase::consumed) return false;
        // Or the slot has its next task, whose fan-in is its own affair.
        if (slot.fan_out.is_consumed(id) && slot.fan_in.pending() != 0) return false;
      }
    }
    return true;
  }

  /// The completion of one task by the scheduler that observed its end: made, then
  /// notify_consumers(), then drop_producers(), each once.
  class Completion {
   public:
    /// Copies the producers to `scratch` (room for the task's nodes) and closes the task.
    Completion(TaskLifeCycle& life, SlotId task, std::span<TaskId> scratch) : life_(life) {
      Slot& slot = life.slot(task);
      const uint32_t count = slot.node_count.read();
      if (count != 0) {
        PTO2_INVARIANT("LC-I1", count <= scratch.size());
        producers_ = scratch.first(count);
        life.copy_producers(ring_of(task), slot.first_node.read(), producers_);
      }
      const Closed closed = slot.fan_out.close();
      consumers_ = closed.head;
      consumed_ = closed.consumed;
    }

    /// True if closing consumed the task itself: the caller advances past it.
    [[nodiscard]] bool consumed() const { return consumed_; }

    /// Notifies the consumers. `ready` is told of each that becomes ready by it, to be pushed.
    template <class Ready>
    void notify_consumers(Ready&& ready) {
      for (NodeId next = consumers_; next != nil;) {
        const DependencyNode<P>& node = life_.nodes_by_entry_[next];
        next = node.next.read();
        const SlotId consumer = node.consumer.read();
        if (life_.slot(consumer).fan_in.notify()) ready(consumer);
      }
    }

    /// Drops the references of the producers. `consumed` is told of each that is consumed by it,
    /// and advances past it.
    template <class Consumed>
    void drop_producers(Consumed&& consumed) {
      for (const TaskId producer : producers_) {
        if (life_.slot_of(producer).fan_out.drop()) consumed(producer);
      }
    }

   private:
    TaskLifeCycle& life_;
    std::span<TaskId> producers_;
    NodeId consumers_ = nil;
    bool consumed_ = false;
  };

 private:
  friend class Completion;

  /// The task has one edge less than it was opened for; the node is the next one's. Inlined:
  /// a call, however rare, would cost the loop over its producers the registers that calls change.
  [[gnu::always_inline]] void take_edge_from(SlotId task) {
    auto& count = slot(task).node_count;
    count.write(count.read() - 1);
  }
  /// The slot whose number in its ring is the low bits of `local`.
  [[nodiscard]] Slot& slot_at(RingId ring, uint64_t local) const {
    return slots_[ring.value][static_cast<uint32_t>(local) & slot_masks_[ring.value]];
  }
  /// Of the nodes from index `first` on, as many as there is room for, and at least one. In one
  /// loop, because there are few.
  void copy_producers(RingId ring, uint32_t first, std::span<TaskId> to) const {
    const DependencyNode<P>* node = nodes_[ring.value] + first;
    TaskId* next = to.data();
    TaskId* const end = next + to.size();
    do {
      *next++ = node->producer.read();
      if (++node == node_ends_[ring.value]) [[unlikely]]
        node = first_node(ring);
    } while (next != end);
  }
  /// The one that comes behind the last: entry 0 is unused.
  [[nodiscard]] DependencyNode<P>* first_node(RingId ring) const { return nodes_[ring.value] + 1; }

  // The rings side by side, so that their numbers scale: several look-ups are made for each edge.
  EntriesOfRings<Slot> slots_by_entry_;
  EntriesOfRings<DependencyNode<P>> nodes_by_entry_;
  std::array<Slot*, max_rings> slots_{};
  std::array<uint32_t, max_rings> slot_masks_{};  ///< window - 1
  std::array<DependencyNode<P>*, max_rings> nodes_{};
  std::array<DependencyNode<P>*, max_rings> node_ends_{};  ///< behind the last of each
  std::array<Watermark<P>*, max_rings> watermarks_{};
};

}  // namespace pto2
