#include "models/checker/engine/parallel.hpp"

#include <thread>

#include "models/checker/engine/watchdog.hpp"

namespace pto2::model::engine {

Parallel::Parallel(const Options& options, const std::function<void()>& body)
    : options_(options), size_(options, body), ledger_(options, counts_, &size_) {
  const auto ids = std::make_shared<Ids>();
  for (unsigned i = 0; i < options.jobs; ++i) {
    executions_.push_back(std::make_unique<Execution>(options, body, ids));
    searches_.push_back(std::make_unique<Exhaustive>(options));
  }
}

void Parallel::run(Report& report) {
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < executions_.size(); ++i) {
    workers.emplace_back([this, i] { work(*executions_[i], *searches_[i], i == 0); });
  }
  for (std::thread& worker : workers) worker.join();
  report.executions = counts_.executions;
  report.blocked = counts_.blocked;
  report.reason = counts_.reason;
  report.complete = !stop_;
  for (const auto& search : searches_) report.peak_memory_bytes += search->memory();
}

void Parallel::work(Execution& execution, Exhaustive& search, bool starts) {
  const Watchdog watchdog(options_.watchdog_seconds);
  if (starts) {
    search.begin();
    explore(execution, search, true);
  }
  while (take(search)) explore(execution, search, search.advance());
}

void Parallel::explore(Execution& execution, Exhaustive& search, bool more) {
  while (more && !stop_) {
    const Outcome outcome = execution.run(search.graph(), search, search.first());
    record(execution, search, outcome);
    if (stop_) return;
    if (hungry_ > 0) offer(search);
    if (&execution == executions_.front().get()) size_.improve_if_due();
    more = search.advance();
  }
}

void Parallel::record(Execution& execution, Exhaustive& search, Outcome outcome) {
  const std::size_t memory = search.memory_if_due() * executions_.size();
  const std::lock_guard guard(mutex_);
  if (stop_) return;
  ledger_.count(outcome);
  if (outcome == Outcome::failed) {
    failed_ = &execution;
    failed_graph_ = &search.graph();
  } else if (outcome == Outcome::limited) {
    counts_.reason = execution.limit();
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
  --hungry_;
  changed_.notify_one();
}

/// Waits for work; false when the search is over.
bool Parallel::take(Exhaustive& search) {
  std::unique_lock lock(mutex_);
  if (offered_.empty()) {
    ++hungry_;
    ++idle_;
    if (idle_ == static_cast<int>(executions_.size())) changed_.notify_all();
    changed_.wait(lock, [&] {
      return stop_ || !offered_.empty() || idle_ == static_cast<int>(executions_.size());
    });
    if (stop_ || offered_.empty()) return false;
    --idle_;
  } else {
    ++hungry_;  // the offer was made to somebody who waits
  }
  std::unique_ptr<EventGraph> part = std::move(offered_.back());
  offered_.pop_back();
  search.begin(std::move(part));
  return true;
}

}  // namespace pto2::model::engine
