#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/exhaustive.hpp"
#include "models/checker/engine/ledger.hpp"
#include "models/checker/engine/size_estimate.hpp"

namespace pto2::model::engine {

/// One exhaustive search shared by several OS threads. A few parts lie ready for those that have
/// nothing left; each is the oldest open choices of somebody: the largest piece there was.
class Parallel {
 public:
  Parallel(const Options& options, const std::function<void()>& body,
           Ledger::Clock::time_point start);

  /// Fills in the counts, completeness and the reason of a report.
  void run(Report& report);
  /// Calls `visit` for the execution of each OS thread.
  template <class Visit>
  void for_each_execution(Visit&& visit) const {
    for (const Worker& worker : workers_) visit(worker.execution);
  }
  /// The execution that found a violation first, or null, and its graph.
  const Execution* failed() const { return failed_; }
  const EventGraph& failed_graph() const { return *failed_graph_; }

 private:
  /// What one OS thread works with, on cache lines of its own.
  struct alignas(128) Worker {
    Worker(const Options& options, const std::function<void()>& body, std::shared_ptr<Ids> ids)
        : execution(options, body, std::move(ids)), search(options) {}

    Execution execution;
    Exhaustive search;
    Tally tally;
  };

  void start_and_join();
  void work(Worker& worker);
  /// Explores until nothing is left or somebody stops the search.
  void explore(Worker& worker, bool more);
  bool take(Worker& worker);
  void offer(Exhaustive& search);
  void record(Worker& worker, ExecutionEnd end);

  const Options& options_;
  const std::size_t wanted_offers_;
  const std::uint64_t runs_per_report_;  // a worker keeps its counts to itself for so long
  std::deque<Worker> workers_;
  alignas(128) std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<EventGraph>> offered_;
  alignas(128) std::atomic<std::size_t> offers_{0};  // the size of that; all workers look at it
  std::atomic<bool> stop_{false};
  alignas(128) std::size_t idle_ = 0;
  Report counts_;
  SizeEstimate size_;  // the first OS thread works on it
  Ledger ledger_;
  const Execution* failed_ = nullptr;
  const EventGraph* failed_graph_ = nullptr;
};

}  // namespace pto2::model::engine
