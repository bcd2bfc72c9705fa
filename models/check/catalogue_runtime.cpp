// The whole runtime, instantiated for the model policy.
#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "models/check/entry_of.hpp"
#include "models/runtime/chain.hpp"
#include "models/runtime/chain_on_two_schedulers.hpp"
#include "models/runtime/diamond.hpp"
#include "models/runtime/inout_chain.hpp"
#include "models/runtime/later_writer.hpp"
#include "models/runtime/nested_scope.hpp"
#include "models/runtime/pool_waits.hpp"
#include "models/runtime/single_task.hpp"
#include "models/runtime/two_consumers.hpp"
#include "models/runtime/two_producers.hpp"
#include "models/runtime/two_schedulers.hpp"
#include "models/runtime/window_held_by_scope.hpp"
#include "models/runtime/window_held_by_tasks.hpp"
#include "models/runtime/window_waits_for_consumers.hpp"
#include "models/runtime/window_wraps.hpp"

namespace pto2::scenarios {
namespace {

/// All graphs of three tasks.
template <template <class> class F, uint32_t... edges>
void add_held_by_scope(std::vector<Entry>& entries, const std::string& suffix,
                       std::integer_sequence<uint32_t, edges...>) {
  (entries.push_back(entry_of<WindowHeldByScope<Model, F, edges>>("runtime/window_held_by_scope/" +
                                                                  std::to_string(edges) + suffix)),
   ...);
}

template <template <class> class F>
void add(std::vector<Entry>& entries, const std::string& suffix) {
  entries.push_back(entry_of<SingleTask<Model, F>>("runtime/single_task" + suffix));
  entries.push_back(entry_of<Chain<Model, F>>("runtime/chain" + suffix));
  entries.push_back(entry_of<Diamond<Model, F>>("runtime/diamond" + suffix));
  entries.push_back(entry_of<TwoConsumers<Model, F>>("runtime/two_consumers" + suffix));
  entries.push_back(entry_of<TwoProducers<Model, F>>("runtime/two_producers" + suffix));
  entries.push_back(entry_of<InoutChain<Model, F>>("runtime/inout_chain" + suffix));
  entries.push_back(entry_of<NestedScope<Model, F>>("runtime/nested_scope" + suffix));
  entries.push_back(entry_of<LaterWriter<Model, F>>("runtime/later_writer" + suffix));
  entries.push_back(entry_of<WindowWraps<Model, F>>("runtime/window_wraps" + suffix));
  entries.push_back(
      entry_of<WindowWaitsForConsumers<Model, F>>("runtime/window_waits_for_consumers" + suffix));
  entries.push_back(entry_of<TwoSchedulers<Model, F>>("runtime/two_schedulers" + suffix));
  entries.push_back(
      entry_of<ChainOnTwoSchedulers<Model, F>>("runtime/chain_on_two_schedulers" + suffix));
  entries.push_back(entry_of<PoolWaits<Model, F>>("runtime/pool_waits" + suffix));
  add_held_by_scope<F>(entries, suffix, std::make_integer_sequence<uint32_t, 8>());
}

}  // namespace

void add_runtime(std::vector<Entry>& entries) {
  add<TaskWord>(entries, "/word");
  // The graphs with a chain of three; the others, and those on the lock, are too many executions.
  entries.push_back(
      entry_of<WindowHeldByTasks<Model, TaskWord, 5>>("runtime/window_held_by_tasks/5/word"));
  entries.push_back(
      entry_of<WindowHeldByTasks<Model, TaskWord, 7>>("runtime/window_held_by_tasks/7/word"));
  add<FanOutLock>(entries, "/lock");
}

}  // namespace pto2::scenarios
