/// Two hosts that are joint while one OS thread is faster than two: all fibers are to be at the
/// first one then, and the second has nothing to do. When they part, some go to the second.
///
///   joint  what the second host is to do with fibers that are at home there and not kept: hand
///          them to the first one
///
/// Write rights: anybody. If two have them join and part at the same time, one of these is lost.
///
/// Nobody tells the second host that they have joined. It sees that when it is about to run a
/// fiber, or has none to run, and hands over all that wait there; they may part meanwhile.
///
///   HP-I1: a fiber that was rung runs, however hosts join and part meanwhile.
///   HP-I2: who is brought to the second host as they part is not handed back, unless they join
///          again.
///
/// HP-I2 is message passing, if another host brings them: they part before the fiber gets its home
/// (fiber_host.move), and who finds it at home (fiber_host.look_home) looks after that whether they
/// are joint. The second host may take fibers itself: from a long kernel of the first one, and then
/// it has them part before it runs any; or as it falls asleep, which is no parting: while they are
/// joint, it hands those back.
///
/// Progress: every verb is wait-free, for a given number of fibers.
#pragma once

#include <span>

#include "core/fiber_host.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct HostPairOrders {
  /// They join or part. Who sees that late moves fibers late, but for HP-I2, where their homes
  /// publish it.
  static constexpr OrderSite change{"host_pair.change", Operation::store,
                                    std::memory_order_relaxed};
  /// Whether they are joint.
  static constexpr OrderSite look{"host_pair.look", Operation::load, std::memory_order_relaxed};
};

template <MemoryPolicy P>
class HostPair {
 public:
  using Orders = HostPairOrders;
  using Fibers = std::span<HostedFiber<P>* const>;

  explicit HostPair(bool joint) : joint_(joint) {}

  [[nodiscard]] bool are_joint() const { return joint_.load(P::order(Orders::look)); }
  void join() { joint_.store(true, P::order(Orders::change)); }
  /// Nobody moves by it.
  void part() { joint_.store(false, P::order(Orders::change)); }
  /// By the first host, attached: those of `fibers` that wait there, not inside of a kernel, and of
  /// which moves(fiber) is true, go to the second one.
  template <class Moves>
  void part(FiberHost<P>& first, FiberHost<P>& second, Fibers fibers, Moves&& moves) {
    part();
    const HostedFiber<P>* const running = first.current();
    move_out(first, second, fibers,
             [&](const HostedFiber<P>& fiber) { return &fiber != running && moves(fiber); });
  }

  /// By the second host, attached, between two fibers: those that are at home there, are not kept,
  /// and of which waits(fiber) is true, go to the first one if they are joint.
  template <class Waits>
  void gather(FiberHost<P>& second, FiberHost<P>& first, Fibers fibers, Waits&& waits) const {
    // One by one: if they have parted meanwhile, whom that has brought here stays.
    move_out(second, first, fibers,
             [&](const HostedFiber<P>& fiber) { return waits(fiber) && are_joint(); });
  }

  /// By the second host, which is about to run `fiber`: whether it does. Else they are joint, and
  /// it has been gathered with the others, which counts as a ring.
  template <class Waits>
  [[nodiscard]] bool runs_at_second(const HostedFiber<P>& fiber, FiberHost<P>& second,
                                    FiberHost<P>& first, Fibers fibers, Waits&& waits) const {
    if (!are_joint()) [[likely]]
      return true;
    gather(second, first, fibers, waits);
    return fiber.home() == &second;
  }

 private:
  /// Those that are at home at `from`, are not kept, and of which moves(fiber) is true.
  template <class Moves>
  static void move_out(FiberHost<P>& from, FiberHost<P>& to, Fibers fibers, Moves&& moves) {
    for (HostedFiber<P>* const fiber : fibers) {
      if (fiber->home() != &from || fiber->is_kept()) continue;
      if (moves(*fiber)) from.hand_over(*fiber, to);
    }
  }

  typename P::template atomic<bool> joint_;
};

}  // namespace pto2
