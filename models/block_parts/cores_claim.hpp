/// Three cores that a block task was lent to (roles 0, 1, 2) claim its two parts. Whoever gives
/// back the last share completes the task and starts the slot's next one. BP-I1, BP-I2, BP-I3,
/// BP-I4: each part is claimed once, one of them completes and sees what every part did, and nobody
/// touches the parts after it.
#pragma once

#include <algorithm>

#include "core/block_parts.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class CoresClaim : public Roles<P, 3> {
 public:
  static constexpr uint32_t parts = 2;
  static constexpr std::array reaches{"one core claims every part", "several claim parts",
                                      "a part of another is the last to end",
                                      "nothing is left to be lent"};

  CoresClaim() {
    for (auto& work : work_) work.write(0);
    parts_.open(parts);
    check<P>(parts_.size() == parts && parts_.unclaimed() == parts, "no part is claimed");
    check<P>(parts_.lend(3), "the task has not completed");
  }

  void thread(uint32_t i) {
    if (i == 2 && parts_.unclaimed() == 0) happened<P>("nothing is left to be lent");
    while (const auto part = parts_.claim()) {
      check<P>(*part < parts, "the task has such a part");
      work_[*part].write(work_[*part].read() + 1);
      ++claims_[i];
    }
    if (!parts_.give_back()) return;
    if (claims_[i] == 0) happened<P>("a part of another is the last to end");
    for (auto& work : work_) check<P>(work.read() == 1, "the completer sees what every part did");
    completed_[i] = 1;
    parts_.open(1);
  }

  void finish() {
    check<P>(completed_[0] + completed_[1] + completed_[2] == 1, "one completes the task");
    check<P>(claims_[0] + claims_[1] + claims_[2] == parts, "no part is claimed twice");
    const bool one = std::ranges::count(claims_, parts) == 1;
    happened<P>(one ? "one core claims every part" : "several claim parts");
    check<P>(!parts_.ended(), "the next task is under way");
    check<P>(parts_.claim() == 0 && !parts_.claim(), "it has one part");
    check<P>(parts_.give_back(), "and one share");
    check<P>(parts_.ended() && parts_.invariant_holds(), "no task is under way");
  }

 private:
  BlockParts<P> parts_;
  std::array<typename P::template cell<uint32_t>, parts> work_;
  // Entry i is role i's.
  std::array<uint32_t, 3> completed_{};
  std::array<uint32_t, 3> claims_{};
};

}  // namespace pto2::scenarios
