/// Somebody (role 0) makes one task ready at a time, in a shard, and goes on when it was taken; two
/// schedulers (roles 1, 2) sleep when the queues are empty. PS-I1: no push finds them all asleep
/// and leaves them so.
#pragma once

#include "models/support/push_and_park.hpp"

namespace pto2::scenarios {

struct PushToShard {
  template <Policy P>
  std::optional<SchedulerId> operator()(ReadyQueues<P>& queues, ParkedSchedulers<P>& parked,
                                        SlotId task) const {
    check<P>(queues.push(0, task), "there is room");
    return parked.take_one();
  }
};

template <Policy P>
class ShardPushAgainstPark : public PushAndPark<P, PushToShard> {};

}  // namespace pto2::scenarios
