/// Task state: the phases of a task, and the fan-out concept whose implementations keep them.
///
/// The original calls this completed[slot]: 0 initial, 1 ready, 2 completed, 3 consumed. Both
/// fan-outs (task_word.hpp, fan_out_lock.hpp) hold the phase, but that ready follows from the
/// fan-in (TaskLifeCycle::phase() tells all four apart), beside the task's id and its
/// references, so that a slot's former task is never mistaken for the present one.
///
///   TS-I1: phases of one task only grow, and each transition happens once.
///   TS-I2: a task is consumed if and only if it completed, its scope ended and each of its
///          consumers and holders completed. Until then its slot and its buffer are not reused.
///   TS-I3: a claim either links the consumer (it will be notified exactly once), or counts it
///          as a holder of a completed producer (early), or finds the producer consumed (none).
///   TS-I4: a consumed producer is neither claimed nor held.
///
/// A holder needs a task's buffer to stay, but does not wait for the task: it writes another part
/// of the buffer. It holds one reference and is on no list.
///
/// Who may do what: the orchestrator opens slots, claims and holds producers and drops scope
/// references; the scheduler that observed the end of a task closes it; a completer drops the
/// references of the producers of its task, held ones among them.
///
/// Limits: a task has at most max_references - 3 consumers and holders that have not let go of it;
/// more is a violated invariant, so the runtime refuses configurations that could reach it.
#pragma once

#include <concepts>

#include "core/policy.hpp"
#include "core/task_id.hpp"

namespace pto2 {

enum class Phase : uint32_t { initial = 0, ready = 1, completed = 2, consumed = 3 };

/// "initial", "ready", ..
[[nodiscard]] constexpr const char* phase_name(Phase phase) {
  constexpr const char* names[] = {"initial", "ready", "completed", "consumed"};
  return names[static_cast<uint32_t>(phase)];
}

/// What a claim of a producer by a new consumer came to.
enum class Claim {
  linked,  ///< open: the node is on the producer's list, a reference is held
  early,   ///< completed: a reference is held, nobody will notify
  none,    ///< consumed: no edge, no reference
};

/// What closing a task yields.
struct Closed {
  NodeId head;    ///< first node of the consumers to notify, nil if none
  bool consumed;  ///< true if no reference is left: the closer has to advance the watermark
};

/// A dependency node: one edge, owned by the consumer's task, on the list of its producer; or a
/// reference that the owner of a buffer is held by, on no list.
template <Policy P>
struct DependencyNode {
  typename P::template cell<NodeId> next;      ///< next consumer of the same producer
  typename P::template cell<SlotId> consumer;  ///< slot of the consumer
  typename P::template cell<TaskId> producer;  ///< or the one held
};

/// Most references a task can have: its own, its scope's, its ticket's if it is a block task, and
/// one per consumer or holder.
inline constexpr uint32_t max_references = (uint32_t{1} << 20) - 1;

/// The concept that both fan-outs satisfy; one object per slot.
template <class F, class P>
concept FanOut = Policy<P> && requires(F slot, const F& view, TaskId id, NodeId node_id,
                                       DependencyNode<P>& node, uint64_t& retries) {
  slot.open(id);
  { slot.claim(id, node_id, node, retries) } -> std::same_as<Claim>;
  slot.hold(id);
  { slot.close() } -> std::same_as<Closed>;
  { slot.drop() } -> std::same_as<bool>;
  { view.is_consumed(id) } -> std::same_as<bool>;
  { view.phase(id) } -> std::same_as<Phase>;
  { slot.references(id) } -> std::same_as<uint32_t>;
  { view.invariant_holds() } -> std::same_as<bool>;
};

}  // namespace pto2
