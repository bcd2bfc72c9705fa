/// Two cores (roles 0, 1) claim the three parts of a block task, and the run is given up meanwhile
/// (role 2). BP-I1, BP-I4: each part is claimed once at most, and none after that; the shares are
/// not given back, so the task never completes.
#pragma once

#include "core/block_parts.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class PartsClosed : public Roles<P, 3> {
 public:
  static constexpr uint32_t parts = 3;
  static constexpr std::array reaches{"every part is claimed", "some parts are claimed",
                                      "no part is claimed"};

  PartsClosed() {
    for (auto& work : work_) work.write(0);
    parts_.open(parts);
    check<P>(parts_.lend(2), "the task has not completed");
  }

  void thread(uint32_t i) {
    if (i == 2) return parts_.close();
    while (const auto part = parts_.claim()) {
      check<P>(*part < parts, "the task has such a part");
      work_[*part].write(work_[*part].read() + 1);
      ++claims_[i];
    }
  }

  void finish() {
    const uint32_t claims = claims_[0] + claims_[1];
    uint32_t run = 0;
    for (auto& work : work_) run += work.read() == 1 ? 1 : 0;
    check<P>(run == claims, "no part is claimed twice");
    happened<P>(claims == parts ? "every part is claimed"
                : claims != 0   ? "some parts are claimed"
                                : "no part is claimed");
    check<P>(!parts_.claim() && parts_.unclaimed() == 0, "nothing is left to be claimed");
    check<P>(!parts_.ended() && parts_.invariant_holds(), "the task has not completed");
  }

 private:
  BlockParts<P> parts_;
  std::array<typename P::template cell<uint32_t>, parts> work_;
  std::array<uint32_t, 2> claims_{};  // entry i is role i's
};

}  // namespace pto2::scenarios
