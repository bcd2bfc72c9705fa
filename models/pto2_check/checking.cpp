#include "models/pto2_check/checking.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <vector>

#include "core/assert.hpp"

namespace pto2 {

void invariant_violated(const char* id, const char* what, const char* file, int line) {
  const std::string message =
      std::string(id) + " violated: " + what + " (" + file + ":" + std::to_string(line) + ")";
  model::check(false, message);
  // It returns in a thread that is being taken down, whose atomics' values mean nothing any more.
  throw std::logic_error(message);
}

namespace scenarios {
namespace {

model::Options options_of(const Entry& entry, const CheckSettings& settings) {
  model::Options options;
  options.name = entry.name;
  options.jobs = settings.jobs;
  options.max_seconds = settings.max_seconds;
  options.samples = settings.samples;
  options.progress = settings.progress;
  options.stop = settings.stop;
  options.expected = entry.reaches;
  return options;
}

model::Report exhaust(const Entry& entry, const CheckSettings& settings) {
  model::Report report = model::explore(options_of(entry, settings), entry.body);
  if (report.ok() && report.executions != entry.expected.executions) {
    report.verdict = model::Verdict::fail;
    report.reason = "expected " + std::to_string(entry.expected.executions) +
                    " executions; models/pto2_check/expected.cpp has the numbers";
  }
  return report;
}

constexpr std::array strategies{model::Strategy::random_walk, model::Strategy::pct,
                                model::Strategy::bursts};
using Samples = std::array<model::Report, strategies.size()>;

/// Each strategy is one search, on an OS thread of its own as far as there are any.
Samples sample_each(const Entry& entry, const CheckSettings& settings) {
  Samples reports;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < reports.size(); i = next.fetch_add(1)) {
      model::Options options = options_of(entry, settings);
      options.strategy = strategies[i];
      reports[i] = model::explore(options, entry.body);
    }
  };
  std::vector<std::future<void>> others;
  while (others.size() + 1 < std::min<std::size_t>(settings.jobs, reports.size())) {
    others.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& other : others) other.get();
  return reports;
}

model::Report sample(const Entry& entry, const CheckSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  model::Report total;
  total.name = entry.name;
  for (model::Report& report : sample_each(entry, settings)) {
    report.executions += total.executions;
    report.blocked += total.blocked;
    report.steps += total.steps;
    total = std::move(report);
    total.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (total.violation || settings.stop.stop_requested()) return total;
  }
  total.verdict = model::Verdict::inconclusive;
  total.reason = "sampled: too many executions to explore";
  return total;
}

}  // namespace

model::Report check(const Entry& entry, const CheckSettings& settings) {
  return entry.expected.effort == Effort::sampled ? sample(entry, settings)
                                                  : exhaust(entry, settings);
}

model::Report replay(const Entry& entry, const std::string& token) {
  model::Options options;
  options.name = entry.name;
  options.strategy = model::Strategy::replay;
  options.token = token;
  return model::explore(options, entry.body);
}

}  // namespace scenarios
}  // namespace pto2
