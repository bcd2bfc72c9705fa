#include "models/checker/engine/parallel.hpp"

#include <thread>

#include "models/checker/engine/crash_signals.hpp"
#include "models/checker/engine/watchdog.hpp"

namespace pto2::model::engine {

Parallel::Parallel(const Options& options, const std::function<void()>& body,
                   Ledger::Clock::time_point start)
    : options_(options),
      wanted_offers_(std::size_t{2} * options.jobs),
      runs_per_report_(options.max_executions != 0 ? 1 : 64),
      size_(options, body),
      ledger_(options, counts_, &size_, start) {
  const auto ids = std::make_shared<Ids>();
  for (unsigned i = 0; i < options.jobs; ++i) {
    workers_.emplace_back(options, body, ids);
  }
}

void Parallel::run(Report& report) {
  start_and_join();
  for (Worker& worker : workers_) {
    ledger_.add(worker.tally);
    report.peak_memory_bytes += worker.search.memory();
  }
  report.executions = counts_.executions;
  report.blocked = counts_.blocked;
  report.reason = counts_.reason;
  report.complete = !stop_;
}

/// Throws std::system_error, with nothing running any more, if the system refuses an OS thread.
void Parallel::start_and_join() {
  std::vector<std::jthread> os_threads;
  try {
    for (Worker& worker : workers_) os_threads.emplace_back([this, &worker] { work(worker); });
  } catch (...) {
    const std::lock_guard guard(mutex_);
    stop_ = true;
    changed_.notify_all();
    throw;
  }
}

void Parallel::work(Worker& worker) {
  const CrashSignals caught;
  const Watchdog watchdog(options_.watchdog_seconds);
  if (&worker == &workers_.front()) {
    worker.search.begin();
    explore(worker, true);
  }
  while (take(worker)) explore(worker, worker.search.advance());
}

void Parallel::explore(Worker& worker, bool more) {
  Exhaustive& search = worker.search;
  while (more && !stop_) {
    record(worker, worker.execution.run(search.graph(), search, search.first()));
    if (stop_) return;
    if (offers_.load(std::memory_order_relaxed) < wanted_offers_) offer(search);
    if (&worker == &workers_.front()) size_.improve_if_due();
    more = search.advance();
  }
}

void Parallel::record(Worker& worker, ExecutionEnd end) {
  const std::size_t memory = worker.search.memory_if_due() * workers_.size();
  worker.tally.count(end);
  const bool ends = end == ExecutionEnd::failed || end == ExecutionEnd::limited;
  const bool due = worker.tally.runs >= runs_per_report_ || options_.stop.stop_requested();
  if (!ends && !due) return;
  const std::lock_guard guard(mutex_);
  if (stop_) return;
  ledger_.add(worker.tally);
  if (end == ExecutionEnd::failed) {
    failed_ = &worker.execution;
    failed_graph_ = &worker.search.graph();
  } else if (end == ExecutionEnd::limited) {
    counts_.reason = worker.execution.limit();
  } else if (!ledger_.exhausted(memory)) {
    return;
  }
  stop_ = true;
  changed_.notify_all();
}

void Parallel::offer(Exhaustive& search) {
  std::unique_ptr<EventGraph> part = search.split();
  if (part == nullptr) return;
  const std::lock_guard guard(mutex_);
  offered_.push_back(std::move(part));
  offers_ = offered_.size();
  changed_.notify_one();
}

/// Waits for work; false when the search is over.
bool Parallel::take(Worker& worker) {
  std::unique_lock lock(mutex_);
  ++idle_;
  if (idle_ == workers_.size()) changed_.notify_all();
  changed_.wait(lock, [&] { return stop_ || !offered_.empty() || idle_ == workers_.size(); });
  if (stop_ || offered_.empty()) return false;
  --idle_;
  worker.search.begin(std::move(offered_.front()));
  offered_.pop_front();
  offers_ = offered_.size();
  return true;
}

}  // namespace pto2::model::engine
