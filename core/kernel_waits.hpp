/// Kernels that wait for what other kernels of the run do. What they wait for is plain to nobody
/// but them: a predicate that they look at again after each announcement.
///
///   word of a place   number of the wait of the kernel there, and how it goes: it is over, it goes
///                     on, or somebody else has ended it, and why
///   waits             how many kernels wait, and how often something was announced
///   begun             1: some kernel has waited in this run
///
/// A place is a logical thread that runs kernels. Write rights: the kernel that runs there begins a
/// wait and ends it; observers may end one that goes on.
///
///   KW-I1: no kernel sleeps unrung while what it waits for holds, if whoever made it hold has
///          announced that.
///   KW-I2: a wait is ended for a reason that was found for it, not for one before it.
///   KW-P1: a kernel begins one wait at a time, and has ended it when it returns.
///
/// KW-I1 is store buffering: a kernel says that it waits, then looks; another stores what it waits
/// for, then looks who waits. Both sides use read-modify-writes of `waits`. If the kernel's comes
/// second in its modification order, it observes the store; if it comes first, the announcement
/// observes its word.
///
/// Progress: wait-free.
#pragma once

#include <span>

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct KernelWaitsOrders {
  /// That a wait goes on, which count publishes; or that it is over, which nobody needs to know.
  static constexpr OrderSite set{"kernel_waits.set", Operation::store, std::memory_order_relaxed};
  /// Publishes the word, and observes what was stored before announcements; partner of announce.
  static constexpr OrderSite count{"kernel_waits.count", Operation::update,
                                   std::memory_order_acq_rel};
  /// Publishes what was stored, and observes words; partner of count.
  static constexpr OrderSite announce{"kernel_waits.announce", Operation::update,
                                      std::memory_order_acq_rel};
  /// Continues the release sequences of the others.
  static constexpr OrderSite discount{"kernel_waits.discount", Operation::update,
                                      std::memory_order_relaxed};
  /// A word: published by count, or by the ring that follows an end. Who misses one that has just
  /// begun, or ended, looks again.
  static constexpr OrderSite look{"kernel_waits.look", Operation::load, std::memory_order_relaxed};
  /// Ends the wait of somebody else; the ring that follows publishes it.
  static constexpr OrderSite end{"kernel_waits.end", Operation::update, std::memory_order_relaxed};
  /// The wait was over, or ended, before.
  static constexpr OrderSite late{"kernel_waits.late", Operation::load, std::memory_order_relaxed};
  /// Elects the first who waits, who rings whoever must know.
  static constexpr OrderSite elect{"kernel_waits.elect", Operation::update,
                                   std::memory_order_relaxed};
  /// Published by the ring of the first.
  static constexpr OrderSite recall{"kernel_waits.recall", Operation::load,
                                    std::memory_order_relaxed};
};

template <MemoryPolicy P>
class KernelWaits {
 public:
  using Orders = KernelWaitsOrders;
  /// Of a place, valid when zeroed.
  using Word = typename P::template atomic<uint64_t>;
  /// Why somebody has ended a wait, 1 or 2; 0: nobody has.
  using Reason = uint32_t;

  /// The words, one per place, outlive this object.
  explicit KernelWaits(std::span<Word> words) : words_(words) {}

  /// The kernel at `place` is about to wait: after this it looks at what it waits for. True: no
  /// kernel has waited before, and whoever asks has_begun() is to be rung.
  [[nodiscard]] bool begin(uint32_t place) {
    const uint64_t former = words_[place].load(P::order(Orders::look));
    PTO2_INVARIANT("KW-P1", state_of(former) == over);
    words_[place].store(former + one_wait + goes_on, P::order(Orders::set));
    const bool is_first = begun_.exchange(1, P::order(Orders::elect)) == 0;
    (void)waits_.fetch_add(one_kernel, P::order(Orders::count));
    return is_first;
  }
  /// Between begin() and end(), after a look in vain and after each ring: whether the wait was
  /// ended by somebody else.
  [[nodiscard]] Reason reason(uint32_t place) const {
    return state_of(words_[place].load(P::order(Orders::look))) - goes_on;
  }
  /// The kernel at `place` waits no more.
  void end(uint32_t place) {
    const uint64_t word = words_[place].load(P::order(Orders::look));
    PTO2_INVARIANT("KW-P1", state_of(word) != over);
    words_[place].store(word - state_of(word), P::order(Orders::set));
    (void)waits_.fetch_sub(one_kernel, P::order(Orders::discount));
  }

  /// After a store that may be what kernels wait for: calls ring(place) for each who waits.
  template <class Ring>
  void announce(Ring&& ring) {
    const uint64_t before = waits_.fetch_add(one_announcement, P::order(Orders::announce));
    if (before % one_announcement == 0) return;
    for_each_wait([&](uint32_t place, uint64_t) { ring(place); });
  }

  /// By one observer: calls reason_of(place, wait) for each wait that goes on, with its number, and
  /// ends those for which it gives a reason; then ring(place).
  template <class ReasonOf, class Ring>
  void end_some(ReasonOf&& reason_of, Ring&& ring) {
    for_each_wait([&](uint32_t place, uint64_t word) {
      const Reason reason = reason_of(place, word / one_wait);
      uint64_t expected = word;
      if (reason != 0 &&
          words_[place].compare_exchange_strong(expected, word + reason, P::order(Orders::end),
                                                P::order(Orders::late))) {
        ring(place);
      }
    });
  }

  /// How often something was announced so far, modulo 2^32.
  [[nodiscard]] uint64_t announcements() const {
    return waits_.load(P::order(Orders::recall)) / one_announcement;
  }
  /// Whether some kernel has waited.
  [[nodiscard]] bool has_begun() const { return begun_.load(P::order(Orders::recall)) != 0; }

  /// True if nobody waits: the state after a run.
  [[nodiscard]] bool empty() const {
    return waits_.load(P::order(Orders::recall)) % one_announcement == 0;
  }

 private:
  static constexpr uint32_t over = 0;
  static constexpr uint32_t goes_on = 1;
  static constexpr uint64_t one_wait = 4;  // above the state
  static constexpr uint64_t one_kernel = 1;
  static constexpr uint64_t one_announcement = uint64_t{1} << 32;

  static uint32_t state_of(uint64_t word) { return static_cast<uint32_t>(word % one_wait); }

  template <class Visit>
  void for_each_wait(Visit&& visit) const {
    for (uint32_t place = 0; place < words_.size(); ++place) {
      const uint64_t word = words_[place].load(P::order(Orders::look));
      if (state_of(word) == goes_on) visit(place, word);
    }
  }

  std::span<Word> words_;
  alignas(cache_line) typename P::template atomic<uint64_t> waits_{0};
  typename P::template atomic<uint32_t> begun_{0};
};

}  // namespace pto2
