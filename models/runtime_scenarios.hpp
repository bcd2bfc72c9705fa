/// The scenarios over the whole runtime, under the name that tools use: runtime/scenario/fan-out.
#pragma once

#include <string>
#include <utility>

#include "models/runtime/chain.hpp"
#include "models/runtime/chain_on_two_schedulers.hpp"
#include "models/runtime/consumers_of_an_ended_scope.hpp"
#include "models/runtime/diamond.hpp"
#include "models/runtime/heap_wraps.hpp"
#include "models/runtime/heap_wraps_on_two_schedulers.hpp"
#include "models/runtime/inout_chain.hpp"
#include "models/runtime/later_writer.hpp"
#include "models/runtime/map_entries_reused.hpp"
#include "models/runtime/nested_scope.hpp"
#include "models/runtime/nodes_reused.hpp"
#include "models/runtime/pool_waits.hpp"
#include "models/runtime/refused_after_chain.hpp"
#include "models/runtime/refused_after_one.hpp"
#include "models/runtime/refused_on_two_schedulers.hpp"
#include "models/runtime/single_task.hpp"
#include "models/runtime/thrown_in_a_scope.hpp"
#include "models/runtime/thrown_while_the_heap_is_reused.hpp"
#include "models/runtime/two_consumers.hpp"
#include "models/runtime/two_producers.hpp"
#include "models/runtime/two_schedulers.hpp"
#include "models/runtime/window_held_by_scope.hpp"
#include "models/runtime/window_held_by_tasks.hpp"
#include "models/runtime/window_waits_for_consumers.hpp"
#include "models/runtime/window_wraps.hpp"
#include "models/runtime/window_wraps_on_two_schedulers.hpp"

namespace pto2::scenarios {

/// All graphs of three tasks.
template <Policy P, template <class> class F, uint32_t... edges>
void for_each_held_by_scope(const std::string& suffix, auto&& visit,
                            std::integer_sequence<uint32_t, edges...>) {
  (visit.template operator()<WindowHeldByScope<P, F, edges>>("runtime/window_held_by_scope/" +
                                                             std::to_string(edges) + suffix),
   ...);
}

/// Calls visit.template operator()<Scenario>(name) for each.
template <Policy P, template <class> class F>
void for_each_of_runtime(const std::string& suffix, auto&& visit) {
  const auto name = [&](const char* scenario) { return "runtime/" + (scenario + suffix); };
  visit.template operator()<SingleTask<P, F>>(name("single_task"));
  visit.template operator()<Chain<P, F>>(name("chain"));
  visit.template operator()<Diamond<P, F>>(name("diamond"));
  visit.template operator()<TwoConsumers<P, F>>(name("two_consumers"));
  visit.template operator()<TwoProducers<P, F>>(name("two_producers"));
  visit.template operator()<InoutChain<P, F>>(name("inout_chain"));
  visit.template operator()<NestedScope<P, F>>(name("nested_scope"));
  visit.template operator()<ConsumersOfAnEndedScope<P, F>>(name("consumers_of_an_ended_scope"));
  visit.template operator()<WindowWraps<P, F>>(name("window_wraps"));
  visit.template operator()<WindowWaitsForConsumers<P, F>>(name("window_waits_for_consumers"));
  visit.template operator()<HeapWraps<P, F>>(name("heap_wraps"));
  visit.template operator()<LaterWriter<P, F>>(name("later_writer"));
  visit.template operator()<NodesReused<P, F>>(name("nodes_reused"));
  visit.template operator()<PoolWaits<P, F>>(name("pool_waits"));
  visit.template operator()<MapEntriesReused<P, F>>(name("map_entries_reused"));
  visit.template operator()<TwoSchedulers<P, F>>(name("two_schedulers"));
  visit.template operator()<ChainOnTwoSchedulers<P, F>>(name("chain_on_two_schedulers"));
  visit.template operator()<WindowWrapsOnTwoSchedulers<P, F>>(
      name("window_wraps_on_two_schedulers"));
  visit.template operator()<HeapWrapsOnTwoSchedulers<P, F>>(name("heap_wraps_on_two_schedulers"));
  visit.template operator()<RefusedAfterOne<P, F>>(name("refused_after_one"));
  visit.template operator()<RefusedAfterChain<P, F>>(name("refused_after_chain"));
  visit.template operator()<RefusedOnTwoSchedulers<P, F>>(name("refused_on_two_schedulers"));
  visit.template operator()<ThrownInAScope<P, F>>(name("thrown_in_a_scope"));
  visit.template operator()<ThrownWhileTheHeapIsReused<P, F>>(
      name("thrown_while_the_heap_is_reused"));
  for_each_held_by_scope<P, F>(suffix, visit, std::make_integer_sequence<uint32_t, 8>());
  // The graphs with a chain of three.
  visit.template operator()<WindowHeldByTasks<P, F, 5>>(name("window_held_by_tasks/5"));
  visit.template operator()<WindowHeldByTasks<P, F, 7>>(name("window_held_by_tasks/7"));
}

}  // namespace pto2::scenarios
