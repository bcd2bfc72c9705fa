/// The three parts of a block task end at the same time (one per role); whoever ends the last one
/// completes the task and starts the slot's next one. BP-I2, BP-I3, BP-I4: one completes, it sees
/// what every part did, and nobody touches the parts after it.
#pragma once

#include "core/block_parts.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class EndAgainstEnd : public Roles<P, 3> {
 public:
  static constexpr uint32_t parts = 3;
  static constexpr std::array reaches{"part 0 ends last", "part 2 ends last"};

  EndAgainstEnd() {
    parts_.open(parts);
    const ClaimedParts claimed = parts_.claim(parts + 1);
    check<P>(claimed.first == 0 && claimed.count == parts && claimed.last, "all are claimed");
  }

  void thread(uint32_t i) {
    work_[i].write(1);
    if (!parts_.end()) return;
    if (i == 0) happened<P>("part 0 ends last");
    if (i == 2) happened<P>("part 2 ends last");
    for (auto& work : work_) check<P>(work.read() == 1, "the completer sees what every part did");
    completed_[i] = 1;
    parts_.open(1);
  }

  void finish() {
    check<P>(completed_[0] + completed_[1] + completed_[2] == 1, "one completes the task");
    check<P>(!parts_.ended(), "the next task is under way");
    check<P>(parts_.claim(1).last, "it has one part");
    check<P>(parts_.end(), "which ends it");
    check<P>(parts_.ended() && parts_.invariant_holds(), "no task is under way");
  }

 private:
  BlockParts<P> parts_;
  std::array<typename P::template cell<uint32_t>, parts> work_;
  std::array<uint32_t, 3> completed_{};  // entry i is role i's
};

}  // namespace pto2::scenarios
