/// Every scenario but those over the whole runtime (runtime_scenarios.hpp), under the name that
/// tools use: piece/scenario, with the fan-out where it matters.
#pragma once

#include <string>

#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "models/cluster_pool/close_against_leave.hpp"
#include "models/cluster_pool/two_clusters.hpp"
#include "models/core_mailbox/dispatch.hpp"
#include "models/core_mailbox/exit.hpp"
#include "models/core_mailbox/exit_overtakes.hpp"
#include "models/core_mailbox/start_up.hpp"
#include "models/doorbell/ring_against_idle.hpp"
#include "models/doorbell/ring_against_ring.hpp"
#include "models/fan_in/hold_against_notify.hpp"
#include "models/fatal_latch/first_wins.hpp"
#include "models/fiber_host/detach_against_sleep.hpp"
#include "models/fiber_host/end_against_sleep.hpp"
#include "models/fiber_host/ring_against_detach.hpp"
#include "models/fiber_host/ring_against_sleep.hpp"
#include "models/fiber_host/ring_against_steal.hpp"
#include "models/fiber_host/ring_before_start.hpp"
#include "models/fiber_host/steal_against_attach.hpp"
#include "models/fiber_host/thief_against_thief.hpp"
#include "models/parked_schedulers/backlog_against_park.hpp"
#include "models/parked_schedulers/push_against_park.hpp"
#include "models/ready_queues/exactly_once.hpp"
#include "models/ready_queues/full_shards.hpp"
#include "models/stall_detector/quiescence.hpp"
#include "models/start_gate/give_up_against_wait.hpp"
#include "models/start_gate/open_against_wait.hpp"
#include "models/startup/hand_shake.hpp"
#include "models/task_life_cycle/advance_with_recycling.hpp"
#include "models/task_life_cycle/claim_after_reclaim.hpp"
#include "models/task_life_cycle/completion_is_last_drop.hpp"
#include "models/task_life_cycle/fan_out_and_in.hpp"
#include "models/task_life_cycle/heap_back_pressure.hpp"
#include "models/task_life_cycle/heap_exact_fit.hpp"
#include "models/task_life_cycle/heap_start_over.hpp"
#include "models/task_life_cycle/heap_wrap.hpp"
#include "models/task_life_cycle/join.hpp"
#include "models/task_life_cycle/node_reuse.hpp"
#include "models/task_life_cycle/node_reuse_of_join.hpp"
#include "models/task_life_cycle/out_of_order_reuse.hpp"
#include "models/task_life_cycle/pair.hpp"
#include "models/task_life_cycle/pair_across_rings.hpp"
#include "models/task_life_cycle/pool_one_producer.hpp"
#include "models/task_life_cycle/pool_two_producers.hpp"
#include "models/task_life_cycle/scope_ended_first.hpp"
#include "models/task_life_cycle/slot_reuse.hpp"
#include "models/task_state/claim_against_close.hpp"
#include "models/task_state/hold_against_close.hpp"
#include "models/tensormap/one_ring.hpp"
#include "models/tensormap/two_rings.hpp"
#include "models/watermark/two_advancers.hpp"

namespace pto2::scenarios {

/// Calls visit.template operator()<Scenario>(name) for those that need a fan-out.
template <Policy P, template <class> class F>
void for_each_with_fan_out(const std::string& suffix, auto&& visit) {
  const auto name = [&](const char* path) { return path + suffix; };
  visit.template operator()<ClaimAgainstClose<P, F>>(name("task_state/claim_against_close"));
  visit.template operator()<HoldAgainstClose<P, F>>(name("task_state/hold_against_close"));
  visit.template operator()<Pair<P, F>>(name("task_life_cycle/pair"));
  visit.template operator()<SlotReuse<P, F>>(name("task_life_cycle/slot_reuse"));
  visit.template operator()<CompletionIsLastDrop<P, F>>(
      name("task_life_cycle/completion_is_last_drop"));
  visit.template operator()<Join<P, F>>(name("task_life_cycle/join"));
  visit.template operator()<ScopeEndedFirst<P, F>>(name("task_life_cycle/scope_ended_first"));
  visit.template operator()<NodeReuse<P, F>>(name("task_life_cycle/node_reuse"));
  visit.template operator()<NodeReuseOfJoin<P, F>>(name("task_life_cycle/node_reuse_of_join"));
  visit.template operator()<PoolOneProducer<P, F>>(name("task_life_cycle/pool_one_producer"));
  visit.template operator()<PoolTwoProducers<P, F>>(name("task_life_cycle/pool_two_producers"));
  visit.template operator()<PairAcrossRings<P, F>>(name("task_life_cycle/pair_across_rings"));
  visit.template operator()<AdvanceWithRecycling<P, F>>(
      name("task_life_cycle/advance_with_recycling"));
  visit.template operator()<HeapBackPressure<P, F>>(name("task_life_cycle/heap_back_pressure"));
  visit.template operator()<HeapExactFit<P, F>>(name("task_life_cycle/heap_exact_fit"));
  visit.template operator()<HeapWrap<P, F>>(name("task_life_cycle/heap_wrap"));
  visit.template operator()<HeapStartOver<P, F>>(name("task_life_cycle/heap_start_over"));
  visit.template operator()<ClaimAfterReclaim<P, F>>(name("task_life_cycle/claim_after_reclaim"));
  visit.template operator()<OutOfOrderReuse<P, F>>(name("task_life_cycle/out_of_order_reuse"));
  visit.template operator()<FanOutAndIn<P, F>>(name("task_life_cycle/fan_out_and_in"));
}

/// The same for those without a fan-out.
template <Policy P>
void for_each_piece(auto&& visit) {
  visit.template operator()<TwoAdvancers<P>>("watermark/two_advancers");
  visit.template operator()<HoldAgainstNotify<P>>("fan_in/hold_against_notify");
  visit.template operator()<Dispatch<P>>("core_mailbox/dispatch");
  visit.template operator()<StartUp<P>>("core_mailbox/start_up");
  visit.template operator()<Exit<P>>("core_mailbox/exit");
  visit.template operator()<ExitOvertakes<P>>("core_mailbox/exit_overtakes");
  visit.template operator()<PushAgainstPark<P>>("parked_schedulers/push_against_park");
  visit.template operator()<BacklogAgainstPark<P>>("parked_schedulers/backlog_against_park");
  visit.template operator()<ExactlyOnce<P>>("ready_queues/exactly_once");
  visit.template operator()<FullShards<P>>("ready_queues/full_shards");
  visit.template operator()<CloseAgainstLeave<P>>("cluster_pool/close_against_leave");
  visit.template operator()<TwoClusters<P>>("cluster_pool/two_clusters");
  visit.template operator()<Quiescence<P>>("stall_detector/quiescence");
  visit.template operator()<HandShake<P>>("startup/hand_shake");
  visit.template operator()<FirstWins<P>>("fatal_latch/first_wins");
  visit.template operator()<OneRing<P>>("tensormap/one_ring");
  visit.template operator()<TwoRings<P>>("tensormap/two_rings");
  visit.template operator()<RingAgainstIdle<P>>("doorbell/ring_against_idle");
  visit.template operator()<RingAgainstRing<P>>("doorbell/ring_against_ring");
  visit.template operator()<OpenAgainstWait<P>>("start_gate/open_against_wait");
  visit.template operator()<GiveUpAgainstWait<P>>("start_gate/give_up_against_wait");
  visit.template operator()<RingAgainstSleep<P>>("fiber_host/ring_against_sleep");
  visit.template operator()<RingBeforeStart<P>>("fiber_host/ring_before_start");
  visit.template operator()<EndAgainstSleep<P>>("fiber_host/end_against_sleep");
  visit.template operator()<StealAgainstAttach<P>>("fiber_host/steal_against_attach");
  visit.template operator()<DetachAgainstSleep<P>>("fiber_host/detach_against_sleep");
  visit.template operator()<RingAgainstDetach<P>>("fiber_host/ring_against_detach");
  visit.template operator()<RingAgainstSteal<P>>("fiber_host/ring_against_steal");
  visit.template operator()<ThiefAgainstThief<P>>("fiber_host/thief_against_thief");
}

/// The same for all of them.
template <Policy P>
void for_each(auto&& visit) {
  for_each_piece<P>(visit);
  for_each_with_fan_out<P, TaskWord>("/word", visit);
  for_each_with_fan_out<P, FanOutLock>("/lock", visit);
}

}  // namespace pto2::scenarios
