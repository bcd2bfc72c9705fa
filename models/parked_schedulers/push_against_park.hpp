/// The orchestrator (role 0) makes one task ready at a time and goes on when it was taken; two
/// schedulers (roles 1, 2) sleep when the queues are empty. PS-I1, OQ-I4: no push to its queue
/// finds them all asleep and leaves them so.
#pragma once

#include "models/support/push_and_park.hpp"

namespace pto2::scenarios {

struct PushToOrchestrators {
  template <Policy P>
  std::optional<SchedulerId> operator()(ReadyQueues<P>& queues, ParkedSchedulers<P>& parked,
                                        SlotId task) const {
    check<P>(queues.push_orchestrators(task), "there is room");
    return parked.take_one_peeking();
  }
};

template <Policy P>
class PushAgainstPark : public PushAndPark<P, PushToOrchestrators> {};

}  // namespace pto2::scenarios
