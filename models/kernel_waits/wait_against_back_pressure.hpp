/// The orchestrator (role 0) waits for room until two tasks have retired. One of them ends (role 1
/// completes it); the kernel of the other (role 2) waits for a task that has no room yet. Once a
/// kernel waits, the orchestrator is content with one: any completion counts, and whoever moves the
/// watermark then rings it, or it sees that (AM-I1).
#pragma once

#include "core/awaited_mark.hpp"
#include "core/kernel_waits.hpp"
#include "core/watermark.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class WaitAgainstBackPressure : public Roles<P, 3> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"the completion rings nobody", "any counts now",
                                      "any counted"};

  void thread(uint32_t i) {
    if (i == 0) submit_next();
    if (i == 1) complete();
    if (i == 2) wait_for_next();
  }

  void finish() {
    check<P>(watermark_.observe() == 1, "one task is reclaimed");
    check<P>(waits_.empty(), "nobody waits any more");
  }

 private:
  using Waits = KernelWaits<P>;

  void submit_next() {
    uint64_t awaited = waits_.has_begun() ? 1 : 2;
    if (awaited == 1) happened<P>("any counted");
    awaited == 1 ? mark_.set_any() : mark_.set(make_id(0, awaited));
    for (;; P::idle()) {
      if (awaited != 1 && waits_.has_begun()) {
        happened<P>("any counts now");
        awaited = 1;
        mark_.set_any();
      }
      if (watermark_.observe() >= awaited) break;
    }
    is_there_.store(1, std::memory_order_relaxed);
    waits_.announce([this](uint32_t) { this->bells[2].ring(); });
  }

  void complete() {
    const auto advanced = watermark_.advance(
        0, [](uint64_t) { return false; }, [](uint64_t) {});
    check<P>(advanced == Advance::advanced, "the oldest task has ended");
    if (mark_.is_reached([this](RingId) -> const auto& { return watermark_; })) {
      this->bells[0].ring();
    } else {
      happened<P>("the completion rings nobody");
    }
  }

  void wait_for_next() {
    if (waits_.begin(0)) this->bells[0].ring();
    while (is_there_.load(std::memory_order_relaxed) == 0) P::idle();
    waits_.end(0);
  }

  AwaitedMark<P> mark_;
  Watermark<P> watermark_;
  std::array<typename Waits::Word, 1> words_;
  Waits waits_{words_};
  typename P::template atomic<uint32_t> is_there_{0};
};

}  // namespace pto2::scenarios
