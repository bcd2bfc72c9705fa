/// The orchestrator (role 0) waits for a mark of ring 0, then for one of ring 1. Schedulers (roles
/// 1, 2) move one watermark each. AM-I1: the second finds the mark of its own ring or that the one
/// before was reached, or the orchestrator sees its move.
#pragma once

#include "core/awaited_mark.hpp"
#include "core/watermark.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class MarksOfTwoRings : public Roles<P, 3> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"a completion rings nobody", "the orchestrator sleeps"};

  void thread(uint32_t i) { i == 0 ? wait() : complete(i - 1); }

  void finish() {
    for (const auto& watermark : watermarks_) check<P>(watermark.observe() == 1, "it was moved");
  }

 private:
  void wait() {
    for (uint32_t ring = 0; ring < 2; ++ring) {
      mark_.set(make_id(RingId(ring), 1));
      while (watermarks_[ring].observe() == 0) {
        happened<P>("the orchestrator sleeps");
        P::idle();
      }
      mark_.clear();
    }
  }

  void complete(uint32_t ring) {
    const auto advanced = watermarks_[ring].advance(
        0, [](uint64_t) { return false; }, [](uint64_t) {});
    check<P>(advanced == Advance::advanced, "the oldest task has ended");
    if (mark_.is_reached([this](RingId r) -> const auto& { return watermarks_[r.value]; })) {
      this->bells[0].ring();
    } else {
      happened<P>("a completion rings nobody");
    }
  }

  AwaitedMark<P> mark_;
  std::array<Watermark<P>, 2> watermarks_;
};

}  // namespace pto2::scenarios
