/// Hosts: OS threads that run the logical threads of a team as fibers, and take them over from each
/// other. What P::idle() and P::doorbell are made of on the packed executor.
///
/// Every fiber is at home on one host. What a host knows of its fibers is plain data under its
/// lock, which its OS thread holds except while it is inside a kernel (detached). So the common
/// ring, of a fiber on the same host, is one OR instruction.
///
///   runnable   bit f: fiber f was rung since it last returned from idle()
///   inbox      bit f: the same, rung from other OS threads; drained into runnable
///   lock       1: held, by the host or by a thief
///   asleep     1: the host sleeps, or is about to
///   sleepers   of the team: how many hosts are between saying so and getting up
///   home       of each fiber: its host; null before the team is settled
///   kept       of each fiber: its kernel waits, and goes on on this host alone
///
/// Write rights: runnable, and home of the fibers that are runnable: whoever holds the lock. kept:
/// the fiber, while its host holds the lock. So an update of runnable is a load and a store; it is
/// atomic for those who read it without the lock: reports, and the host that has just given it up.
/// asleep: 1 by the host, 0 by anybody. inbox: bits are set by anybody, and taken by whoever holds
/// the lock.
///
///   FH-I1: no fiber that was rung waits while its home sleeps and nobody wakes it, nor, while its
///          home is inside a kernel, as long as another host sleeps and nobody wakes that one.
///   FH-I2: a fiber runs on one host at a time; what it did happens before what it does next.
///   FH-I3: a fiber that is runnable at a host is at home there. A ring that finds its fiber gone
///          follows it.
///   FH-I4: the fiber that is inside a kernel is not taken, nor one whose kernel waits (kept): its
///          OS thread's variables are the kernel's.
///   FH-I5: after the last fiber has ended no host sleeps.
///   FH-I6: what was stored before a ring happens before what the fiber does after it.
///   FH-P1: who rings as one of a host's fibers runs there, and not inside a kernel.
///   FH-P2: a host has a bit for every fiber of the team.
///
/// A host without work takes fibers from one that is detached: the lock is free then. A host that
/// holds its lock may hand over a fiber that waits there, which counts as a ring of it. Who is the
/// only host of its team has nobody to give it up to, and only shows that it is inside. FH-I1 and
/// FH-I5 are store buffering between each two of these: one changes something and looks at what the
/// other changes, all in the single total order.
///
///   ring: sets a bit of the inbox; looks whether the home sleeps, and if not, whether anybody
///         does and the home is detached
///   sleep: says so and counts itself; looks into its inbox, at the locks of the others, and
///          whether all fibers have ended
///   detach, and the thief that is done: gives up the lock; looks whether anybody sleeps, and for
///         what there is to take, in the inbox too, because ringers took the host for attached
///   end: counts the fiber as ended; the last one wakes all
///
/// Progress: ring, detach, wake are wait-free for a given number of hosts; attach awaits a thief.
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct FiberHostOrders {
  /// A fiber gets a home: publishes the host to whoever rings there, and observes what a ring
  /// before published.
  static constexpr OrderSite move{"fiber_host.move", Operation::update, std::memory_order_acq_rel};
  /// Observes the host; partner of move.
  static constexpr OrderSite look_home{"fiber_host.look_home", Operation::load,
                                       std::memory_order_acquire};
  /// A ring before there is a home: publishes what was stored before, to move.
  static constexpr OrderSite ring_early{"fiber_host.ring_early", Operation::update,
                                        std::memory_order_release};
  /// Publishes what was stored before the ring, to drain. With look_asleep and look_lock, and
  /// look_inbox on the other side, in the single total order.
  static constexpr OrderSite leave{"fiber_host.leave", Operation::update,
                                   std::memory_order_seq_cst};
  /// Whether there are rings: before sleep, and after unlock, by a thief, too.
  static constexpr OrderSite look_inbox{"fiber_host.look_inbox", Operation::load,
                                        std::memory_order_seq_cst};
  /// Saves drain where there is no ring. Who misses one looks again before it sleeps.
  static constexpr OrderSite peek{"fiber_host.peek", Operation::load, std::memory_order_relaxed};
  /// Observes what was stored before the rings.
  static constexpr OrderSite drain{"fiber_host.drain", Operation::update,
                                   std::memory_order_acquire};
  /// The host says that it sleeps, before it looks into its inbox; partner of look_asleep.
  static constexpr OrderSite fall_asleep{"fiber_host.fall_asleep", Operation::update,
                                         std::memory_order_seq_cst};
  /// Comes after the host was counted as one who sleeps on the word; partner of wake.
  static constexpr OrderSite sleep{"fiber_host.sleep", Operation::load, std::memory_order_seq_cst};
  /// Comes before the look for those who sleep on the word; partner of sleep.
  static constexpr OrderSite wake{"fiber_host.wake", Operation::update, std::memory_order_seq_cst};
  /// After a ring: whether its host sleeps.
  static constexpr OrderSite look_asleep{"fiber_host.look_asleep", Operation::load,
                                         std::memory_order_seq_cst};
  /// The host is awake. Who sees it late wakes it for nothing.
  static constexpr OrderSite get_up{"fiber_host.get_up", Operation::store,
                                    std::memory_order_relaxed};
  /// A host counts itself as a sleeper, before it looks at the locks; partner of look_sleepers.
  static constexpr OrderSite count_in{"fiber_host.count_in", Operation::update,
                                      std::memory_order_seq_cst};
  /// Who sees it late wakes all for nothing.
  static constexpr OrderSite count_out{"fiber_host.count_out", Operation::update,
                                       std::memory_order_relaxed};
  /// After a ring or unlock: whether any host sleeps.
  static constexpr OrderSite look_sleepers{"fiber_host.look_sleepers", Operation::load,
                                           std::memory_order_seq_cst};
  /// Publishes what was done under the lock, and comes before look_sleepers.
  static constexpr OrderSite unlock{"fiber_host.unlock", Operation::store,
                                    std::memory_order_seq_cst};
  /// Observes what a thief did; partner of unlock.
  static constexpr OrderSite attach{"fiber_host.attach", Operation::update,
                                    std::memory_order_acquire};
  /// Observes what the host did, or another thief; partner of unlock.
  static constexpr OrderSite try_lock{"fiber_host.try_lock", Operation::update,
                                      std::memory_order_acquire};
  /// The lock is held: who holds it looks for sleepers when it gives it up.
  static constexpr OrderSite try_fails{"fiber_host.try_fails", Operation::load,
                                       std::memory_order_seq_cst};
  /// After a ring: whether its host is detached.
  static constexpr OrderSite look_lock{"fiber_host.look_lock", Operation::load,
                                       std::memory_order_seq_cst};
  /// A fiber has ended; before the last one's host wakes those that sleep. Partner of look_end.
  static constexpr OrderSite end{"fiber_host.end", Operation::update, std::memory_order_seq_cst};
  /// Whether all have ended, after fall_asleep. Partner of end.
  static constexpr OrderSite look_end{"fiber_host.look_end", Operation::load,
                                      std::memory_order_seq_cst};
  /// Which fibers are runnable: under the lock, which orders it.
  static constexpr OrderSite mark{"fiber_host.mark", Operation::store, std::memory_order_relaxed};
  /// Under the lock, or by who has just given it up: a thief who changed it since tells of it.
  static constexpr OrderSite look_runnable{"fiber_host.look_runnable", Operation::load,
                                           std::memory_order_relaxed};
  /// Shown for reports, which may be late: nothing is decided by it. Of a host that is alone that
  /// it is inside a kernel, too.
  static constexpr OrderSite show{"fiber_host.show", Operation::store, std::memory_order_relaxed};
  /// For reports and asserts, and looks that decide nothing.
  static constexpr OrderSite inspect{"fiber_host.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

template <MemoryPolicy P>
class FiberHost;

/// What the hosts know of a fiber.
template <MemoryPolicy P>
class HostedFiber {
 public:
  using Orders = FiberHostOrders;

  explicit HostedFiber(uint32_t number) : number_(number) {}

  [[nodiscard]] uint32_t number() const { return number_; }
  [[nodiscard]] FiberHost<P>* home() const { return home_.load(P::order(Orders::look_home)); }
  /// Under the lock of the former home, if there is one.
  void set_home(FiberHost<P>* home) { (void)home_.exchange(home, P::order(Orders::move)); }

  /// By the fiber itself, at home and attached: whether others may not take it.
  void keep(bool kept) { kept_.write(kept); }
  /// Under the lock of its home.
  [[nodiscard]] bool is_kept() const { return kept_.read(); }

  /// Makes the fiber run again, once it waits. `here` is the host that the caller is a fiber of, or
  /// null (FH-P1).
  void ring(FiberHost<P>* here) {
    FiberHost<P>* const home = this->home();
    if (home == here && home != nullptr) [[likely]] {
      home->ring_here(number_);
    } else {
      ring_elsewhere(home);
    }
  }
  /// The same by who is a fiber of no host, or inside of a kernel.
  void ring_from_outside() { ring_elsewhere(home()); }

 private:
  /// At `home`, which is not the caller's, or null: there was none.
  [[gnu::noinline]] void ring_elsewhere(FiberHost<P>* home) {
    if (home == nullptr) {
      // The first start counts as a ring, so nothing is to be remembered. But what was stored
      // before must be seen by then: set_home() reads the null that is written here, or comes
      // before it and the home is known now.
      (void)home_.compare_exchange_strong(home, nullptr, P::order(Orders::ring_early),
                                          P::order(Orders::look_home));
    }
    if (home != nullptr) home->ring_remotely(number_);
  }

  uint32_t number_;
  typename P::template atomic<FiberHost<P>*> home_{nullptr};
  typename P::template cell<bool> kept_{false};
};

/// What the hosts of a team share.
template <MemoryPolicy P>
class HostTeam {
 public:
  using Orders = FiberHostOrders;

  /// fibers[f] has number f, and is null if no fiber has. The arrays outlive this object; hosts are
  /// made before they run.
  HostTeam(std::span<HostedFiber<P>* const> fibers, std::span<FiberHost<P>* const> hosts)
      : fibers_(fibers),
        hosts_(hosts),
        unfinished_(static_cast<uint32_t>(fibers.size() - std::ranges::count(fibers, nullptr))) {}

  [[nodiscard]] std::size_t fibers() const { return fibers_.size(); }
  [[nodiscard]] HostedFiber<P>& fiber(uint32_t f) const { return *fibers_[f]; }
  [[nodiscard]] std::span<FiberHost<P>* const> hosts() const { return hosts_; }
  [[nodiscard]] bool has_one_host() const { return hosts_.size() == 1; }

  /// Whether every fiber has ended.
  [[nodiscard]] bool is_over() const { return unfinished_.load(P::order(Orders::look_end)) == 0; }
  void end_one() {
    const uint32_t before = unfinished_.fetch_sub(1, P::order(Orders::end));
    PTO2_INVARIANT("FH-I5", before != 0);
    if (before == 1) wake_all();
  }

  void count_in() { (void)sleepers_.fetch_add(1, P::order(Orders::count_in)); }
  void count_out() { (void)sleepers_.fetch_sub(1, P::order(Orders::count_out)); }
  [[nodiscard]] bool anybody_sleeps() const {
    return sleepers_.load(P::order(Orders::look_sleepers)) != 0;
  }
  void wake_all() {
    for (FiberHost<P>* host : hosts_) host->wake();
  }

 private:
  std::span<HostedFiber<P>* const> fibers_;
  std::span<FiberHost<P>* const> hosts_;
  alignas(cache_line) typename P::template atomic<uint32_t> unfinished_;
  alignas(cache_line) typename P::template atomic<uint32_t> sleepers_{0};
};

/// The words of a host, a bit for each fiber of the team, all of the same number.
template <MemoryPolicy P>
struct HostWords {
  std::span<typename P::template atomic<uint64_t>> runnable;
  std::span<typename P::template atomic<uint64_t>> inbox;
};

template <MemoryPolicy P>
class alignas(cache_line) FiberHost {
 public:
  using Orders = FiberHostOrders;

  /// The words outlive this object.
  FiberHost(HostTeam<P>& team, const HostWords<P>& words)
      : team_(team),
        is_alone_(team.has_one_host()),
        runnable_(words.runnable),
        inbox_(words.inbox) {
    PTO2_INVARIANT("FH-P2", runnable_.size() * 64 >= team.fibers());
    PTO2_INVARIANT("FH-P2", inbox_.size() == runnable_.size());
  }

  /// Runs fibers until every fiber of the team has ended. `resume(fiber)` runs one until it waits,
  /// and returns whether it has ended thereby. `look_around()` comes before the host sleeps, and
  /// returns whether to look for work again instead.
  template <class Resume, class LookAround>
  void run(Resume&& resume, LookAround&& look_around) {
    while (!team_.is_over()) {
      if (!run_until_end(resume) && !look_around()) sleep();
    }
  }

  /// Marks fiber `f` runnable. The caller holds the lock.
  void ring_here(uint32_t f) {
    PTO2_INVARIANT("FH-P1", lock_.load(P::order(Orders::inspect)) != 0);
    mark(f / 64, runnable(f / 64) | bit(f));
  }
  /// The same from any other OS thread.
  void ring_remotely(uint32_t f) {
    (void)inbox_[f / 64].fetch_or(bit(f), P::order(Orders::leave));
    if (asleep_.load(P::order(Orders::look_asleep)) != 0) {
      wake();
    } else if (team_.anybody_sleeps() && is_detached()) {
      team_.wake_all();
    }
  }

  /// Around a kernel of the current fiber: gives the other hosts access to this one's fibers.
  void detach() {
    PTO2_INVARIANT("FH-I2", !seems_detached());
    if (is_alone_) return lock_.store(0, P::order(Orders::show));
    unlock();
    if (team_.anybody_sleeps()) [[unlikely]]
      announce(any_seem_runnable());
  }
  void attach() {
    if (is_alone_) return lock_.store(1, P::order(Orders::show));
    P::spin([&] {
      uint32_t unlocked = 0;
      return lock_.compare_exchange_strong(unlocked, 1, P::order(Orders::attach),
                                           P::order(Orders::inspect));
    });
  }

  /// Ends the sleep of the host.
  void wake() {
    if (asleep_.exchange(0, P::order(Orders::wake)) != 0) asleep_.notify_one();
  }

  /// Takes about half of the fibers that are runnable at another host, if that one is detached.
  /// Whether there were any.
  [[nodiscard]] bool steal_from(FiberHost& victim) {
    uint32_t unlocked = 0;
    if (!victim.lock_.compare_exchange_strong(unlocked, 2, P::order(Orders::try_lock),
                                              P::order(Orders::try_fails))) {
      return false;
    }
    const HostedFiber<P>* const inside = victim.current();
    PTO2_INVARIANT("FH-I2", inside != nullptr);
    victim.drain();
    const uint32_t available = victim.count_free(*inside);
    const uint32_t wanted = (available + 1) / 2;
    take_from(victim, wanted, *inside);
    victim.unlock();
    // While the lock was held here, other hosts could not look, and rings took the victim for
    // attached: what is left, or came meanwhile, is announced now.
    if (team_.anybody_sleeps()) victim.announce(available != wanted);
    return wanted != 0;
  }

  /// By the host, while it holds its lock: gives a fiber that waits here, and is not kept, to
  /// `other`, where it runs next.
  void hand_over(HostedFiber<P>& fiber, FiberHost& other) {
    PTO2_INVARIANT("FH-I3", fiber.home() == this);
    PTO2_INVARIANT("FH-I4", !fiber.is_kept());
    unmark(fiber.number());
    fiber.set_home(&other);
    other.ring_remotely(fiber.number());
  }

  /// Moves the rings of the inbox to `runnable`. The caller holds the lock.
  void drain() {
    for (std::size_t w = 0; w < inbox_.size(); ++w) drain(w);
  }
  /// Whether a ring has come that is not drained.
  [[nodiscard]] bool has_mail() const {
    for (const auto& word : inbox_) {
      if (word.load(P::order(Orders::look_inbox)) != 0) return true;
    }
    return false;
  }
  /// The caller holds the lock.
  [[nodiscard]] bool has_runnable() const {
    (void)locked_.reading();
    return any_seem_runnable();
  }

  // For reports, from any OS thread; current() is exact on the host's own.
  [[nodiscard]] HostedFiber<P>* current() const { return current_.load(P::order(Orders::inspect)); }
  [[nodiscard]] bool seems_asleep() const { return asleep_.load(P::order(Orders::inspect)) != 0; }
  [[nodiscard]] bool seems_detached() const { return lock_.load(P::order(Orders::inspect)) != 1; }
  [[nodiscard]] bool seems_runnable(uint32_t f) const {
    return (runnable_[f / 64].load(P::order(Orders::inspect)) & bit(f)) != 0;
  }
  /// Whether a ring of fiber `f` has come here that the host has not seen.
  [[nodiscard]] bool has_in_inbox(uint32_t f) const {
    return (inbox_[f / 64].load(P::order(Orders::inspect)) & bit(f)) != 0;
  }

 private:
  static constexpr uint64_t bit(uint32_t f) { return uint64_t{1} << (f % 64); }
  /// The lowest fiber in `bits` of word `w`.
  static uint32_t number_of(std::size_t w, uint64_t bits) {
    return static_cast<uint32_t>(w * 64) + static_cast<uint32_t>(std::countr_zero(bits));
  }

  /// Which fibers of word `w` are runnable. The caller of these holds the lock.
  [[nodiscard]] uint64_t runnable(std::size_t w) const {
    (void)locked_.reading();
    return runnable_[w].load(P::order(Orders::look_runnable));
  }
  void mark(std::size_t w, uint64_t bits) {
    (void)locked_.editing();
    runnable_[w].store(bits, P::order(Orders::mark));
  }
  void unmark(uint32_t f) { mark(f / 64, runnable(f / 64) & ~bit(f)); }
  /// Not necessarily under the lock.
  [[nodiscard]] bool any_seem_runnable() const {
    const auto load = [](const auto& word) { return word.load(P::order(Orders::look_runnable)); };
    return std::ranges::any_of(runnable_, load);
  }

  /// The same of word `w`.
  void drain(std::size_t w) {
    if (inbox_[w].load(P::order(Orders::peek)) != 0) [[unlikely]]
      take_mail(w);
  }
  [[gnu::noinline]] void take_mail(std::size_t w) {
    for (uint64_t rung = inbox_[w].exchange(0, P::order(Orders::drain)); rung != 0;
         rung &= rung - 1) {
      // A fiber that moved away while the ring was under way is rung again at its new home.
      team_.fiber(number_of(w, rung)).ring(this);
    }
  }

  /// Runs fibers until one has ended. False: none is runnable.
  template <class Resume>
  bool run_until_end(Resume& resume) {
    bool ended = false;
    for (HostedFiber<P>* next = nullptr; !ended && pick(next);) {
      current_.store(next, P::order(Orders::show));
      ended = resume(*next);
    }
    current_.store(nullptr, P::order(Orders::show));
    if (ended) team_.end_one();
    return ended;
  }

  /// Takes the next runnable fiber, if there is one: in the word whose turn it is from where it
  /// goes on, in the others, and in that one from its first bit on. Drains what it looks at.
  [[nodiscard]] bool pick(HostedFiber<P>*& next) {
    const std::size_t own = turn_word_;
    drain(own);
    const uint64_t here = runnable(own);
    if (const uint64_t due = here & turn_bits_; due != 0) return take(own, here, due, next);
    for (std::size_t w = word_behind(own); w != own; w = word_behind(w)) {
      drain(w);
      if (const uint64_t word = runnable(w); word != 0) {
        turn_word_ = w;
        return take(w, word, word, next);
      }
    }
    if (here == 0) return false;
    return take(own, here, here, next);
  }
  [[nodiscard]] std::size_t word_behind(std::size_t w) const {
    return w + 1 < runnable_.size() ? w + 1 : 0;
  }
  /// Takes the lowest fiber of `due`, some of those that are runnable in word `w`: `word`. True.
  bool take(std::size_t w, uint64_t word, uint64_t due, HostedFiber<P>*& next) {
    const uint64_t lowest = due & -due;
    mark(w, word ^ lowest);
    turn_bits_ = -(lowest << 1);
    next = &team_.fiber(number_of(w, due));
    return true;
  }

  void sleep() {
    (void)asleep_.exchange(1, P::order(Orders::fall_asleep));
    team_.count_in();
    bool work = has_mail() || team_.is_over();
    for (FiberHost* host : team_.hosts()) {
      if (!work && host != this) work = steal_from(*host);
    }
    if (!work) asleep_.wait(1, P::order(Orders::sleep));
    asleep_.store(0, P::order(Orders::get_up));
    team_.count_out();
  }

  [[nodiscard]] bool is_detached() const { return lock_.load(P::order(Orders::look_lock)) == 0; }
  void unlock() { lock_.store(0, P::order(Orders::unlock)); }
  /// After unlock(), where anybody sleeps: wakes them if there is something to take.
  void announce(bool work) {
    if (work || has_mail()) team_.wake_all();
  }

  [[nodiscard]] static bool is_free(const HostedFiber<P>& fiber, const HostedFiber<P>& inside) {
    return &fiber != &inside && !fiber.is_kept();
  }
  /// The runnable fibers that may be taken while the host is inside the kernel of one.
  [[nodiscard]] uint32_t count_free(const HostedFiber<P>& inside) const {
    uint32_t available = 0;
    for (uint32_t w = 0; w < runnable_.size(); ++w) {
      for (uint64_t word = runnable(w); word != 0; word &= word - 1) {
        if (is_free(team_.fiber(number_of(w, word)), inside)) ++available;
      }
    }
    return available;
  }

  void take_from(FiberHost& victim, uint32_t wanted, const HostedFiber<P>& inside) {
    for (uint32_t w = 0; w < runnable_.size() && wanted != 0; ++w) {
      for (uint64_t word = victim.runnable(w); word != 0 && wanted != 0; word &= word - 1) {
        HostedFiber<P>& fiber = team_.fiber(number_of(w, word));
        if (!is_free(fiber, inside)) continue;
        PTO2_INVARIANT("FH-I3", fiber.home() == &victim);
        victim.unmark(fiber.number());
        fiber.set_home(this);
        ring_here(fiber.number());
        --wanted;
      }
    }
  }

  HostTeam<P>& team_;
  const bool is_alone_;
  // Where pick() goes on, so that every runnable fiber gets its turn.
  std::size_t turn_word_ = 0;
  uint64_t turn_bits_ = ~uint64_t{0};
  typename P::template atomic<HostedFiber<P>*> current_{nullptr};
  std::span<typename P::template atomic<uint64_t>> runnable_;
  // Accessed with `runnable`, so that policies that check see whether the lock orders that.
  struct Nothing {};
  typename P::template cell<Nothing> locked_{Nothing{}};
  alignas(cache_line) typename P::template atomic<uint32_t> lock_{1};  // the host's; 2: a thief's
  alignas(cache_line) std::span<typename P::template atomic<uint64_t>> inbox_;
  typename P::sleep_word asleep_{0};
};

}  // namespace pto2
