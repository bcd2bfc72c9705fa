/// Two threads (roles 0, 1) meet different fatal conditions; a third (role 2) waits for one.
/// FA-I1, FA-I2: one is latched, and its details are those of its code.
#pragma once

#include "core/fatal_latch.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class FirstWins : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the first condition wins", "the second condition wins"};

  void thread(uint32_t i) { i == 2 ? observe() : latch(i); }

  void finish() {
    check<P>(first_[0] + first_[1] == 1, "one condition is latched");
    happened<P>(first_[0] == 1 ? "the first condition wins" : "the second condition wins");
    check<P>(latch_.code() == (first_[0] == 1 ? 1 : 2), "it is the one that was told so");
    check<P>(seen_ == latch_.code(), "the observer saw the same");
    check<P>(latch_.invariant_holds(), "the latch is whole");
  }

 private:
  void latch(uint32_t i) {
    first_[i] = latch_.latch(static_cast<int32_t>(1 + i), 10 * (1 + i)) ? 1 : 0;
    this->bells[2].ring();
  }

  void observe() {
    P::await([&] { return latch_.is_set(); });
    seen_ = latch_.code();
    check<P>(latch_.details() == static_cast<uint32_t>(10 * seen_), "details belong to the code");
  }

  FatalLatch<P, uint32_t> latch_;
  std::array<uint32_t, 2> first_{};  // entry i is role i's
  int32_t seen_ = 0;                 // role 2's
};

}  // namespace pto2::scenarios
