/// The original's fan-out: a lock per slot, with early return.
///
///   lock        0 free, 1 held; guards head, references and the phase
///   state       bits 0..1 phase (0 open, 2 completed, 3 consumed), bits 2.. the task's id
///   head        list of consumers
///   references  the task itself, its scope, each consumer or holder that has not completed
///
/// Write rights: as in task_word.hpp. Everything but is_consumed() happens under the lock. The
/// test "no reference is left" and the store of "consumed" lie in the same critical section as the
/// drop, and the early return reads the phase under the lock: a claim never meets a producer that
/// is just being consumed (TS-I4).
///
///   FL-I1: the lock word is never reset: a former holder may still be about to release it.
///   FL-I2: the phase is stored inside the lock; "consumed" is the last store before the unlock
///          that touches the task, because the slot may be recycled at once.
///   FL-I3: nothing waits inside the critical section, so no logical thread is switched in it.
///
/// Progress: blocking; a critical section is a handful of instructions.
#pragma once

#include "core/assert.hpp"
#include "core/task_state.hpp"

namespace pto2 {

struct FanOutLockOrders {
  /// Observes the former critical section.
  static constexpr OrderSite acquire{"fan_out_lock.acquire", Operation::update,
                                     std::memory_order_acquire};
  /// Publishes this one.
  static constexpr OrderSite release{"fan_out_lock.release", Operation::store,
                                     std::memory_order_release};
  /// A look before the exchange, to spin on a shared line.
  static constexpr OrderSite glance{"fan_out_lock.glance", Operation::load,
                                    std::memory_order_relaxed};
  /// The orchestrator alone writes a recycled slot; the hand-over of the task publishes it.
  static constexpr OrderSite open{"fan_out_lock.open", Operation::store, std::memory_order_relaxed};
  /// Looks at the phase inside the lock.
  static constexpr OrderSite phase{"fan_out_lock.phase", Operation::load,
                                   std::memory_order_relaxed};
  /// "Completed", inside the lock.
  static constexpr OrderSite complete{"fan_out_lock.complete", Operation::store,
                                      std::memory_order_relaxed};
  /// "Consumed": takes part in the order against "watermark moved" (watermark.hpp).
  static constexpr OrderSite consume{"fan_out_lock.consume", Operation::store,
                                     std::memory_order_seq_cst};
  /// The load of the advance; partner of consume.
  static constexpr OrderSite consumed{"fan_out_lock.consumed", Operation::load,
                                      std::memory_order_seq_cst};
  /// For reports and asserts only.
  static constexpr OrderSite inspect{"fan_out_lock.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

template <Policy P>
class FanOutLock {
 public:
  using Orders = FanOutLockOrders;

  void open(TaskId id) {
    head_.write(nil);
    references_.write(2);
    state_.store(state_bits(id, Phase::initial), P::order(Orders::open));
  }

  [[nodiscard]] Claim claim(TaskId id, NodeId node_id, DependencyNode<P>& node, uint64_t& retries) {
    const Section section(*this, &retries);
    const uint64_t state = state_.load(P::order(Orders::phase));
    PTO2_INVARIANT("TS-I4", (state & ~phase_mask) == state_bits(id, Phase::initial));
    const Phase phase = phase_of(state);
    if (phase == Phase::consumed) return Claim::none;
    PTO2_INVARIANT("TS-I2", references_.read() < max_references);
    references_.write(references_.read() + 1);
    if (phase == Phase::completed) return Claim::early;
    node.next.write(head_.read());
    head_.write(node_id);
    return Claim::linked;
  }

  /// As in task_word.hpp.
  void hold(TaskId id) {
    const Section section(*this);
    const uint64_t state = state_.load(P::order(Orders::phase));
    PTO2_INVARIANT("TS-I4", (state & ~phase_mask) == state_bits(id, Phase::initial));
    PTO2_INVARIANT("TS-I4", phase_of(state) != Phase::consumed);
    PTO2_INVARIANT("TS-I2", references_.read() < max_references);
    references_.write(references_.read() + 1);
  }

  [[nodiscard]] Closed close() {
    const Section section(*this);
    const uint64_t state = state_.load(P::order(Orders::phase));
    PTO2_INVARIANT("TS-I1", phase_of(state) == Phase::initial);
    const NodeId head = head_.read();
    const uint64_t completed = state + static_cast<uint64_t>(Phase::completed);
    if (release_one()) {
      consume(completed);
      return {head, true};
    }
    state_.store(completed, P::order(Orders::complete));
    return {head, false};
  }

  [[nodiscard]] bool drop() {
    const Section section(*this);
    if (!release_one()) return false;
    consume(state_.load(P::order(Orders::phase)));
    return true;
  }

  [[nodiscard]] bool is_consumed(TaskId id) const {
    return state_.load(P::order(Orders::consumed)) == state_bits(id, Phase::consumed);
  }

  [[nodiscard]] Phase phase(TaskId id) const {
    const uint64_t state = state_.load(P::order(Orders::inspect));
    return (state & ~phase_mask) == state_bits(id, Phase::initial) ? phase_of(state)
                                                                   : Phase::consumed;
  }

  [[nodiscard]] uint32_t references(TaskId id) {
    const Section section(*this);
    const bool mine =
        (state_.load(P::order(Orders::phase)) & ~phase_mask) == state_bits(id, Phase::initial);
    return mine ? references_.read() : 0;
  }

  /// True if the slot is whole. Requires that no verb is under way: the lock is free, and the task
  /// is consumed exactly if nobody holds it, unless the slot is fresh (FL-I1, TS-I2).
  [[nodiscard]] bool invariant_holds() const {
    const uint64_t state = state_.load(P::order(Orders::inspect));
    if (lock_.load(P::order(Orders::inspect)) != 0) return false;
    if (references_.read() == 0) return state == 0 || phase_of(state) == Phase::consumed;
    return phase_of(state) != Phase::consumed && references_.read() <= max_references;
  }

 private:
  static constexpr uint64_t phase_mask = 3;

  /// Holds the lock for its own lifetime.
  class Section {
   public:
    explicit Section(FanOutLock& slot, uint64_t* retries = nullptr) : slot_(slot) {
      while (slot_.lock_.exchange(1, P::order(Orders::acquire)) != 0) {
        if (retries != nullptr) ++*retries;
        P::spin([this] { return slot_.lock_.load(P::order(Orders::glance)) == 0; });
      }
    }
    ~Section() noexcept(false) { slot_.lock_.store(0, P::order(Orders::release)); }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

   private:
    FanOutLock& slot_;
  };

  static constexpr uint64_t state_bits(TaskId id, Phase phase) {
    return (local_of(id) << 2) | static_cast<uint64_t>(phase);
  }
  static constexpr Phase phase_of(uint64_t state) { return static_cast<Phase>(state & phase_mask); }

  /// Drops one reference; true if it was the last.
  bool release_one() {
    const uint32_t count = references_.read();
    PTO2_INVARIANT("TS-I2", count != 0);
    references_.write(count - 1);
    return count == 1;
  }

  void consume(uint64_t completed) {
    PTO2_INVARIANT("TS-I2", phase_of(completed) == Phase::completed);
    state_.store(completed + 1, P::order(Orders::consume));
  }

  typename P::template atomic<uint32_t> lock_{0};
  typename P::template atomic<uint64_t> state_{0};
  typename P::template cell<NodeId> head_{nil};
  typename P::template cell<uint32_t> references_{0};
};

}  // namespace pto2
