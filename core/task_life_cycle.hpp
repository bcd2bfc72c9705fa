/// The life cycle of a task, composed of the pieces: submit, fan-in, fan-out, lifetime, watermark.
///
///   submit (orchestrator)   open(); of the Opened, claim() per producer and hold() per owner of a
///                           buffer that it uses without waiting for it; release_hold()
///   complete (scheduler)    Completion: next_ready() until it is empty, next_consumed() until it
///                           is empty, then advance() the rings that Completion names
///   scope end (orchestrator) drop_scope() per task; advance()
///   block tasks             hold_ticket() before release_hold(); drop_ticket(), advance()
///
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
#include <optional>
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

template <Policy P, class Slot>
class TaskLifeCycle {
 public:
  using Ring = LifeCycleRing<P, Slot>;

  /// 1..max_rings rings.
  explicit TaskLifeCycle(std::span<const Ring> rings) {
    PTO2_INVARIANT("LC-P1", !rings.empty() && rings.size() <= max_rings);
    for (std::size_t i = 0; i < rings.size(); ++i) rings_[i] = rings[i];
  }

  [[nodiscard]] Slot& slot(SlotId slot) {
    return rings_[ring_of(slot).value].slots[index_of(slot)];
  }
  /// The slot of task `id`.
  [[nodiscard]] Slot& slot_of(TaskId id) {
    const auto slots = rings_[ring_of(id).value].slots;
    return slots[local_of(id) & (slots.size() - 1)];
  }
  [[nodiscard]] SlotId slot_id(TaskId id) const {
    const auto mask = rings_[ring_of(id).value].slots.size() - 1;
    return make_slot(ring_of(id), static_cast<uint32_t>(local_of(id) & mask));
  }

  // The orchestrator's verbs.

  /// A task that was opened and is not yet released, and the nodes that it has left.
  class Opened {
   public:
    /// Makes the task depend on `producer`, whose slot must hold it, through its next node.
    /// `retries` as in TaskWord::claim.
    [[nodiscard]] Claim claim(TaskId producer, uint64_t& retries) {
      DependencyNode<P>& node = nodes_[next_];
      node.consumer.write(slot_);
      const Claim claim = life_.slot_of(producer).fan_out.claim(
          producer, make_node(ring_of(slot_), next_), node, retries);
      node.producer.write(claim == Claim::none ? no_task : producer);
      next_ = behind(next_, nodes_);
      return claim;
    }

    /// Lets the task hold `owner`, which is not consumed, through its next node.
    void hold(TaskId owner) {
      nodes_[next_].producer.write(owner);
      next_ = behind(next_, nodes_);
      life_.slot_of(owner).fan_out.hold(owner);
    }

   private:
    friend class TaskLifeCycle;
    Opened(TaskLifeCycle& life, SlotId slot, uint32_t first_node)
        : life_(life),
          slot_(slot),
          nodes_(life.rings_[ring_of(slot).value].nodes),
          next_(first_node) {}

    TaskLifeCycle& life_;
    SlotId slot_;
    std::span<DependencyNode<P>> nodes_;
    uint32_t next_;
  };

  /// Starts task `id` in its slot, which must be reclaimed, with `node_count` nodes from index
  /// `first_node` on.
  Opened open(TaskId id, uint32_t first_node, uint32_t node_count) {
    Slot& slot = slot_of(id);
    slot.first_node.write(first_node);
    slot.node_count.write(node_count);
    slot.fan_in.open(node_count);
    slot.fan_out.open(id);
    return Opened(*this, slot_id(id), first_node);
  }

  /// Holds the slot of `id`, which was opened and not yet released, for the ticket of a block task
  /// (block_parts.hpp).
  void hold_ticket(TaskId id) { slot_of(id).fan_out.hold(id); }

  /// Drops the orchestrator's hold; `absent` producers (early, none or held) will not notify. True:
  /// the caller pushes the task.
  [[nodiscard]] bool release_hold(TaskId id, uint32_t absent) {
    return slot_of(id).fan_in.release_hold(absent);
  }

  /// Drops the scope's reference. True: the task is consumed, advance its ring.
  [[nodiscard]] bool drop_scope(TaskId id) { return slot_of(id).fan_out.drop(); }

  // Anyone's verbs.

  /// Drops what hold_ticket() holds. True: the task is consumed, advance its ring.
  [[nodiscard]] bool drop_ticket(SlotId task) { return slot(task).fan_out.drop(); }

  /// Phase of task `id`, which was submitted. It is ready from when it awaits no producer until it
  /// has completed: in a queue, on a core, or with its scheduler. For reports: exact while nobody
  /// works on the task, a moment old else. Not for who could see the slot recycled meanwhile.
  [[nodiscard]] Phase phase(TaskId id) {
    const Slot& slot = slot_of(id);
    const Phase phase = slot.fan_out.phase(id);
    return phase == Phase::initial && slot.fan_in.pending() == 0 ? Phase::ready : phase;
  }

  /// What one step of an advance came to; `reclaimed` is meant for `advanced` only.
  struct AdvanceStep {
    Advance result;
    TaskId reclaimed;
  };

  /// One step of the watermark of `ring`. Repeat while it advanced.
  [[nodiscard]] AdvanceStep advance(RingId ring) {
    const Ring& r = rings_[ring.value];
    uint64_t alive = 0;
    const Advance result = r.watermark->advance([&](uint64_t local) {
      alive = local;
      return r.slots[local & (r.slots.size() - 1)].fan_out.is_consumed(make_id(ring, local));
    });
    return {result, make_id(ring, alive)};
  }

  /// Advances each ring whose bit is set in `rings` as far as it goes. `step` is told of each task
  /// that is reclaimed by it, and of races that were lost.
  template <class Step>
  void advance_all(uint32_t rings, Step&& step) {
    for (uint32_t ring = 0; rings >> ring != 0; ++ring) {
      if (!(rings >> ring & 1)) continue;
      for (bool advanced = true; advanced;) {
        const AdvanceStep done = advance(RingId(ring));
        advanced = done.result == Advance::advanced;
        if (done.result != Advance::not_next) step(done);
      }
    }
  }

  /// True if the life cycle is whole. Requires that no verb is under way: no advance was lost,
  /// every task below a watermark is consumed, and no consumed task awaits a producer.
  [[nodiscard]] bool invariant_holds() const {
    for (uint32_t ring = 0; ring < max_rings && !rings_[ring].slots.empty(); ++ring) {
      const auto slots = rings_[ring].slots;
      const uint64_t alive = rings_[ring].watermark->observe();
      const auto slot_of = [&](uint64_t local) -> const Slot& {
        return slots[local & (slots.size() - 1)];
      };
      if (slot_of(alive).fan_out.is_consumed(make_id(RingId(ring), alive))) return false;
      for (uint64_t local = alive - std::min<uint64_t>(alive, slots.size()); local < alive;
           ++local) {
        const TaskId id = make_id(RingId(ring), local);
        const auto& slot = slot_of(local);
        if (!slot.fan_out.invariant_holds()) return false;
        if (slot.fan_out.phase(id) != Phase::consumed) return false;
        // Or the slot has its next task, whose fan-in is its own affair.
        if (slot.fan_out.is_consumed(id) && slot.fan_in.pending() != 0) return false;
      }
    }
    return true;
  }

  /// The completion of one task, step by step, by the scheduler that observed its end.
  class Completion {
   public:
    /// Copies the producers to `scratch` (room for the task's nodes) and closes the task.
    Completion(TaskLifeCycle& life, SlotId task, std::span<TaskId> scratch) : life_(life) {
      Slot& slot = life.slot(task);
      const uint32_t count = slot.node_count.read();
      PTO2_INVARIANT("LC-I1", count <= scratch.size());
      const auto nodes = life.rings_[ring_of(task).value].nodes;
      uint32_t index = slot.first_node.read();
      for (uint32_t i = 0; i < count; ++i, index = behind(index, nodes)) {
        scratch[i] = nodes[index].producer.read();
      }
      producers_ = scratch.first(count);
      const Closed closed = slot.fan_out.close();
      next_ = closed.head;
      consumed_ = closed.consumed;
      if (consumed_) rings_to_advance_ |= 1u << ring_of(task).value;
    }

    /// True if closing consumed the task itself.
    [[nodiscard]] bool consumed() const { return consumed_; }

    /// Notifies consumers until one becomes ready; that one, to be pushed by the caller.
    [[nodiscard]] std::optional<SlotId> next_ready() {
      while (next_ != nil) {
        const DependencyNode<P>& node = life_.rings_[ring_of(next_).value].nodes[index_of(next_)];
        next_ = node.next.read();
        const SlotId consumer = node.consumer.read();
        if (life_.slot(consumer).fan_in.notify()) return consumer;
      }
      return std::nullopt;
    }

    /// Drops references of producers until one is consumed by it; that one.
    [[nodiscard]] std::optional<TaskId> next_consumed() {
      while (dropped_ < producers_.size()) {
        const TaskId producer = producers_[dropped_++];
        if (producer == no_task) continue;
        if (life_.slot_of(producer).fan_out.drop()) {
          rings_to_advance_ |= 1u << ring_of(producer).value;
          return producer;
        }
      }
      return std::nullopt;
    }

    /// Bit r: the caller advances ring r, after the two loops.
    [[nodiscard]] uint32_t rings_to_advance() const { return rings_to_advance_; }

   private:
    TaskLifeCycle& life_;
    std::span<TaskId> producers_;
    std::size_t dropped_ = 0;
    NodeId next_ = nil;
    bool consumed_ = false;
    uint32_t rings_to_advance_ = 0;
  };

 private:
  friend class Completion;

  /// The nodes of a task are consecutive, from the last one on to the first: entry 0 is unused.
  static uint32_t behind(uint32_t index, std::span<const DependencyNode<P>> nodes) {
    return index + 1 < nodes.size() ? index + 1 : 1;
  }

  std::array<Ring, max_rings> rings_{};
};

}  // namespace pto2
