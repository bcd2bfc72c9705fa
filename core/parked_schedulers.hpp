/// Parked schedulers: who has idle cores, found the ready queues empty, and is about to sleep; and
/// who has ready tasks left that found the queues full.
///
///   parked   bit s: scheduler s sleeps, or is about to, and can take ready tasks; or it is awake
///            for something else and looks here before it sleeps again
///   behind   bit s: scheduler s sleeps, or is about to, and holds a backlog of ready tasks
///
/// Write rights: a scheduler sets and clears its own bits; whoever made a task ready takes one bit
/// of `parked`, and rings the doorbell of that scheduler.
///
///   PS-I1: no ready task waits in a queue while every scheduler with an idle core of its type
///          sleeps unrung.
///   PS-I2: no ready task waits in the backlog of a scheduler that sleeps unrung while every
///          scheduler with an idle core of its type sleeps unrung.
///   PS-P1: schedulers have the numbers 0..63.
///
/// A pusher pushes, then looks here; a scheduler announces, then looks into the queues. Both sides
/// use read-modify-writes of the one word. If the announcement comes second in its modification
/// order, it observes the push, even across others that came between: they continue its release
/// sequence. If it comes first, the pusher finds the bit. Plain loads and stores would be store
/// buffering; unless all four of them are in the single total order, as those are of who pushes to
/// the orchestrator's queue (OQ-I4): the orchestrator peeks.
///
/// An announcement stands until it is taken or withdrawn. While it stands, its scheduler may wake
/// up and sleep again without a look into the queues: whatever was pushed since, another one was
/// rung for, who passes on what it cannot take.
///
/// A scheduler that is about to sleep with a backlog does as a pusher does: it sets its bit of
/// `behind`, then looks here and rings whom it finds. Whoever announces itself looks at `behind`,
/// too, and rings those whose bits it sees: there is room now. So of the two that are about to
/// sleep one learns of the other, and each ring brings both to look again.
///
/// Progress: wait-free. Limits: 64 schedulers.
#pragma once

#include <bit>
#include <optional>

#include "core/assert.hpp"
#include "core/ids.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct ParkedSchedulersOrders {
  /// Observes the pushes made before look; partner of look. And comes before the pops behind it in
  /// the single total order, with peek and orchestrator_queue.publish, orchestrator_queue.look.
  static constexpr OrderSite announce{"parked_schedulers.announce", Operation::update,
                                      std::memory_order_seq_cst};
  /// Publishes the push; partner of announce. A bit that it finds carries no data.
  static constexpr OrderSite look{"parked_schedulers.look", Operation::update,
                                  std::memory_order_release};
  /// The same after a push that is in the single total order, as that of announce is.
  static constexpr OrderSite peek{"parked_schedulers.peek", Operation::load,
                                  std::memory_order_seq_cst};
  /// Takes a bit that look has found. An update continues the release sequence of look, so an
  /// announcement behind it observes the push as well.
  static constexpr OrderSite take{"parked_schedulers.take", Operation::update,
                                  std::memory_order_relaxed};
  /// Withdraws a bit that carries no data: who is awake looks for itself, and who finds no bit has
  /// nobody to ring.
  static constexpr OrderSite retract{"parked_schedulers.retract", Operation::update,
                                     std::memory_order_relaxed};
  /// Whether the own bit is still there. Who was rung for it sees that it was taken, and whoever
  /// misses that is rung after it.
  static constexpr OrderSite recall{"parked_schedulers.recall", Operation::load,
                                    std::memory_order_relaxed};
  /// Sets or clears a bit of `behind`; look publishes it.
  static constexpr OrderSite fall_behind{"parked_schedulers.fall_behind", Operation::update,
                                         std::memory_order_relaxed};
  /// Looks at `behind`; announce has observed what is needed.
  static constexpr OrderSite survey{"parked_schedulers.survey", Operation::load,
                                    std::memory_order_relaxed};
  /// For asserts only.
  static constexpr OrderSite inspect{"parked_schedulers.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

inline constexpr uint32_t max_schedulers = 64;

template <Policy P>
class ParkedSchedulers {
 public:
  using Orders = ParkedSchedulersOrders;

  /// Scheduler `s` is about to sleep. It looks into the queues once more before it does.
  void announce(SchedulerId s) { (void)parked_.fetch_or(bit(s), P::order(Orders::announce)); }
  /// Scheduler `s` is awake for good, or can take nothing any more.
  void retract(SchedulerId s) { (void)parked_.fetch_and(~bit(s), P::order(Orders::retract)); }
  /// Scheduler `s`, which has announced itself and was awake for a while: whether it may sleep on
  /// without another look, because nobody has taken it. If somebody has and this does not tell, the
  /// ring is still to come.
  [[nodiscard]] bool is_announced(SchedulerId s) const {
    return (parked_.load(P::order(Orders::recall)) & bit(s)) != 0;
  }

  /// Scheduler `s` is about to sleep with a backlog. It takes one who is parked, as after a push.
  void fall_behind(SchedulerId s) { (void)behind_.fetch_or(bit(s), P::order(Orders::fall_behind)); }
  /// Scheduler `s` is awake.
  void catch_up(SchedulerId s) { (void)behind_.fetch_and(~bit(s), P::order(Orders::fall_behind)); }

  /// After an announcement, with the queues empty: calls ring(s) for each scheduler that sleeps
  /// with a backlog, to be rung.
  template <class Ring>
  void for_each_behind(Ring&& ring) const {
    for (uint64_t behind = behind_.load(P::order(Orders::survey)); behind != 0;
         behind &= behind - 1) {
      ring(lowest_of(behind));
    }
  }

  /// After a push: the scheduler to ring, if one is parked. It is taken, so that the next push
  /// rings another.
  [[nodiscard]] std::optional<SchedulerId> take_one() {
    return take_one_of(parked_.fetch_add(0, P::order(Orders::look)));
  }
  /// The same after a push that is in the single total order: one to the orchestrator's queue, and
  /// no other.
  [[nodiscard]] std::optional<SchedulerId> take_one_peeking() {
    return take_one_of(parked_.load(P::order(Orders::peek)));
  }

  /// True if nobody is announced but schedulers 0..`schedulers` - 1.
  [[nodiscard]] bool invariant_holds(uint32_t schedulers) const {
    const uint64_t others = schedulers < max_schedulers ? ~uint64_t{0} << schedulers : 0;
    return (bits() & others) == 0;
  }
  /// True if nobody is announced, nor behind: the state after a run.
  [[nodiscard]] bool empty() const { return bits() == 0; }

 private:
  /// Of those who may be parked: nobody, after most pushes.
  [[nodiscard]] std::optional<SchedulerId> take_one_of(uint64_t parked) {
    if (parked == 0) [[likely]]
      return std::nullopt;
    do {
      const SchedulerId s = lowest_of(parked);
      const uint64_t before = parked_.fetch_and(~bit(s), P::order(Orders::take));
      if (before & bit(s)) return s;
      parked = before;
    } while (parked != 0);
    return std::nullopt;
  }
  static uint64_t bit(SchedulerId s) {
    PTO2_INVARIANT("PS-P1", s.value < max_schedulers);
    return uint64_t{1} << s.value;
  }
  static SchedulerId lowest_of(uint64_t bits) {
    return SchedulerId(static_cast<uint32_t>(std::countr_zero(bits)));
  }
  [[nodiscard]] uint64_t bits() const {
    return parked_.load(P::order(Orders::inspect)) | behind_.load(P::order(Orders::inspect));
  }

  alignas(cache_line) typename P::template atomic<uint64_t> parked_{0};
  typename P::template atomic<uint64_t> behind_{0};
};

}  // namespace pto2
