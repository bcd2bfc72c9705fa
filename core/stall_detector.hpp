/// The stall detector: tells a deadlock from slowness by structure, not by counting spins.
///
///   submitted   tasks handed over by the orchestrator, and tickets of block tasks that hold their
///               slots (its own count)
///   finished    per scheduler, tasks whose completion it has finished: consumers notified,
///               producers dropped, watermarks advanced; and tickets that it has given up
///
/// Every submitted task depends on earlier ones only, so the schedulers finish all of them without
/// the orchestrator. Once finished = submitted, nothing runs, nothing is ready, nothing is left to
/// scan or drain, and no scheduler will move a watermark again. If the orchestrator still lacks
/// what it waits for, the oldest task alive waits for a scope that only the orchestrator can end:
/// a deadlock. If it is not reached, some task is still on its way: not a deadlock.
///
///   SD-I1: quiescent() is true only if all submitted tasks have finished.
///   SD-I2: what the finishers did happens before quiescent() returns true; the watermark that is
///          read after it is final.
///   SD-I3: if all submitted tasks have finished, the next quiescent() is true.
#pragma once

#include <span>

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct StallDetectorOrders {
  /// Publishes the watermarks that this completion moved; partner of sum.
  static constexpr OrderSite finish{"stall_detector.finish", Operation::store,
                                    std::memory_order_release};
  /// Observes the watermarks that what it counts has moved; partner of finish.
  static constexpr OrderSite sum{"stall_detector.sum", Operation::load, std::memory_order_acquire};
  /// For asserts only.
  static constexpr OrderSite inspect{"stall_detector.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

/// Count of one scheduler, on a line of its own.
template <Policy P>
struct alignas(cache_line) FinishedCount {
  typename P::template atomic<uint64_t> value{0};
  uint64_t own = 0;  // the scheduler's private copy

  /// `n` more tasks of this scheduler have finished.
  void add(uint64_t n) {
    own += n;
    value.store(own, P::order(StallDetectorOrders::finish));
  }
};

template <Policy P>
class StallDetector {
 public:
  /// `finished` has one entry per scheduler and outlives this object.
  explicit StallDetector(std::span<const FinishedCount<P>> finished) : finished_(finished) {}

  /// Tasks that have finished, as far as they are seen.
  [[nodiscard]] uint64_t finished() const {
    uint64_t sum = 0;
    for (const auto& count : finished_) {
      sum += count.value.load(P::order(StallDetectorOrders::sum));
    }
    return sum;
  }

  /// True if all `submitted` tasks have finished.
  [[nodiscard]] bool quiescent(uint64_t submitted) const {
    const uint64_t seen = finished();
    PTO2_INVARIANT("SD-I1", seen <= submitted);
    return seen == submitted;
  }

  /// True if no more than the `submitted` tasks have finished, and each count is what its
  /// scheduler counted. Requires that no verb is under way.
  [[nodiscard]] bool invariant_holds(uint64_t submitted) const {
    for (const auto& count : finished_) {
      if (count.value.load(P::order(StallDetectorOrders::inspect)) != count.own) return false;
    }
    return finished() <= submitted;
  }

 private:
  std::span<const FinishedCount<P>> finished_;
};

}  // namespace pto2
