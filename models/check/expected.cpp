#include "models/check/expected.hpp"

#include <map>

namespace pto2::scenarios {
namespace {

const std::map<std::string, Expectation> expectations = {
    {"watermark/two_advancers", {167}},
    {"fan_in/hold_against_notify", {6}},
    {"core_mailbox/dispatch", {27}},
    {"core_mailbox/start_up", {3}},
    {"core_mailbox/exit", {1}},
    {"core_mailbox/exit_overtakes", {4}},
    {"parked_schedulers/push_against_park", {5'430}},
    {"parked_schedulers/backlog_against_park", {48'299}},
    {"ready_queues/exactly_once", {45'126}},
    {"cluster_pool/close_against_leave", {8}},
    {"cluster_pool/two_clusters", {6}},
    {"stall_detector/quiescence", {1}},
    {"startup/hand_shake", {2}},
    {"fatal_latch/first_wins", {2}},
    {"ready_queues/full_shards", {46}},
    {"tensormap/one_ring", {81}},
    {"tensormap/two_rings", {168}},
    {"task_state/claim_against_close/word", {34}},
    {"task_life_cycle/pair/word", {79}},
    {"task_life_cycle/slot_reuse/word", {175}},
    {"task_life_cycle/completion_is_last_drop/word", {92}},
    {"task_life_cycle/join/word", {2'350}},
    {"task_life_cycle/scope_ended_first/word", {27'706}},
    {"task_life_cycle/node_reuse/word", {22'481}},
    {"task_life_cycle/node_reuse_of_join/word", {2'296'606, Effort::many}},
    {"task_life_cycle/pool_one_producer/word", {21'841}},
    {"task_life_cycle/pool_two_producers/word", {34'131}},
    {"task_life_cycle/pair_across_rings/word", {1'383}},
    {"task_life_cycle/advance_with_recycling/word", {2'013}},
    {"task_life_cycle/heap_back_pressure/word", {84'250}},
    {"task_life_cycle/heap_exact_fit/word", {15'834}},
    {"task_life_cycle/heap_wrap/word", {12'176}},
    {"task_life_cycle/heap_start_over/word", {175}},
    {"task_life_cycle/claim_after_reclaim/word", {1'304}},
    {"task_life_cycle/out_of_order_reuse/word", {396'919, Effort::many}},
    {"task_life_cycle/fan_out_and_in/word", {2'073'722, Effort::many}},
    {"task_state/claim_against_close/lock", {922}},
    {"task_life_cycle/pair/lock", {632}},
    {"task_life_cycle/slot_reuse/lock", {1'072}},
    {"task_life_cycle/completion_is_last_drop/lock", {540}},
    {"task_life_cycle/join/lock", {63'608}},
    {"task_life_cycle/scope_ended_first/lock", {1'118'640, Effort::many}},
    {"task_life_cycle/node_reuse/lock", {3'317'432, Effort::many}},
    {"task_life_cycle/node_reuse_of_join/lock", {0, Effort::sampled}},
    {"task_life_cycle/pool_one_producer/lock", {910'080, Effort::many}},
    {"task_life_cycle/pool_two_producers/lock", {8'173'268, Effort::many}},
    {"task_life_cycle/pair_across_rings/lock", {42'720}},
    {"task_life_cycle/advance_with_recycling/lock", {18'832}},
    {"task_life_cycle/heap_back_pressure/lock", {1'425'040, Effort::many}},
    {"task_life_cycle/heap_exact_fit/lock", {149'520}},
    {"task_life_cycle/heap_wrap/lock", {117'120}},
    {"task_life_cycle/heap_start_over/lock", {1'072}},
    {"task_life_cycle/claim_after_reclaim/lock", {31'680}},
    {"task_life_cycle/out_of_order_reuse/lock", {6'335'904, Effort::many}},
    {"task_life_cycle/fan_out_and_in/lock", {0, Effort::sampled}},
    {"runtime/single_task/word", {2}},
    {"runtime/chain/word", {4'155}},
    {"runtime/diamond/word", {4'872'243, Effort::many}},
    {"runtime/two_consumers/word", {89'482, Effort::many}},
    {"runtime/two_producers/word", {170'760, Effort::many}},
    {"runtime/inout_chain/word", {12'255}},
    {"runtime/nested_scope/word", {29}},
    {"runtime/later_writer/word", {33'582, Effort::many}},
    {"runtime/refused_after_one/word", {9}},
    {"runtime/thrown_in_a_scope/word", {9}},
    {"runtime/consumers_of_an_ended_scope/word", {16'128}},
    {"runtime/map_entries_reused/word", {464}},
    {"runtime/heap_wraps/word", {464}},
    {"runtime/refused_after_chain/word", {62}},
    {"runtime/refused_on_two_schedulers/word", {26'168, Effort::many}},
    {"runtime/heap_wraps_on_two_schedulers/word", {0, Effort::sampled}},
    {"runtime/window_wraps_on_two_schedulers/word", {0, Effort::sampled}},
    {"runtime/nodes_reused/word", {19'589}},
    {"runtime/window_wraps/word", {66'422, Effort::many}},
    {"runtime/window_waits_for_consumers/word", {736'834, Effort::many}},
    {"runtime/two_schedulers/word", {45'720, Effort::many}},
    {"runtime/chain_on_two_schedulers/word", {6'468}},
    {"runtime/pool_waits/word", {3'161}},
    {"runtime/window_held_by_scope/0/word", {11'040}},
    {"runtime/window_held_by_scope/1/word", {1'600}},
    {"runtime/window_held_by_scope/2/word", {7'132}},
    {"runtime/window_held_by_scope/3/word", {1'238}},
    {"runtime/window_held_by_scope/4/word", {4'864}},
    {"runtime/window_held_by_scope/5/word", {98}},
    {"runtime/window_held_by_scope/6/word", {3'040}},
    {"runtime/window_held_by_scope/7/word", {224}},
    {"runtime/window_held_by_tasks/5/word", {257'252, Effort::many}},
    {"runtime/window_held_by_tasks/7/word", {127'459, Effort::many}},
    {"runtime/single_task/lock", {4}},
    {"runtime/chain/lock", {54'017, Effort::many}},
    {"runtime/diamond/lock", {0, Effort::sampled}},
    {"runtime/two_consumers/lock", {957'379, Effort::many}},
    {"runtime/two_producers/lock", {2'322'016, Effort::many}},
    {"runtime/inout_chain/lock", {260'337, Effort::many}},
    {"runtime/nested_scope/lock", {185}},
    {"runtime/later_writer/lock", {292'992, Effort::many}},
    {"runtime/refused_after_one/lock", {9}},
    {"runtime/thrown_in_a_scope/lock", {9}},
    {"runtime/map_entries_reused/lock", {2'944}},
    {"runtime/heap_wraps/lock", {2'944}},
    {"runtime/refused_after_chain/lock", {85}},
    {"runtime/refused_on_two_schedulers/lock", {26'168, Effort::many}},
    {"runtime/consumers_of_an_ended_scope/lock", {154'750, Effort::many}},
    {"runtime/window_held_by_tasks/5/lock", {0, Effort::sampled}},
    {"runtime/window_held_by_tasks/7/lock", {0, Effort::sampled}},
    {"runtime/heap_wraps_on_two_schedulers/lock", {0, Effort::sampled}},
    {"runtime/window_wraps_on_two_schedulers/lock", {0, Effort::sampled}},
    {"runtime/window_wraps/lock", {3'124'460, Effort::many}},
    {"runtime/window_waits_for_consumers/lock", {0, Effort::sampled}},
    {"runtime/two_schedulers/lock", {173'056, Effort::many}},
    {"runtime/chain_on_two_schedulers/lock", {46'560, Effort::many}},
    {"runtime/pool_waits/lock", {39'768}},
    {"runtime/window_held_by_scope/0/lock", {11'040}},
    {"runtime/window_held_by_scope/1/lock", {2'040}},
    {"runtime/window_held_by_scope/2/lock", {9'560}},
    {"runtime/window_held_by_scope/3/lock", {2'054}},
    {"runtime/window_held_by_scope/4/lock", {6'720}},
    {"runtime/window_held_by_scope/5/lock", {200}},
    {"runtime/window_held_by_scope/6/lock", {5'624}},
    {"runtime/window_held_by_scope/7/lock", {550}},
};

}  // namespace

Expectation expectation_of(const std::string& name) {
  const auto found = expectations.find(name);
  return found == expectations.end() ? Expectation{} : found->second;
}

std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, ",");
  return text;
}

std::string effort_text(const Expectation& expected) {
  if (expected.effort == Effort::sampled) return "sampled";
  return grouped(expected.executions) + " executions" +
         (expected.effort == Effort::many ? " (--deep)" : "");
}

}  // namespace pto2::scenarios
