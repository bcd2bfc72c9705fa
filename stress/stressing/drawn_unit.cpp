#include "stress/stressing/drawn_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "runtime/workloads/workload.hpp"
#include "stress/simulation/token.hpp"

namespace pto2::stress {
namespace {

using simulations::Options;

struct GraphKind {
  const char* name;
  bool clustered;
  bool mistakes;
};
constexpr GraphKind graph_kinds[] = {{"plain", false, false},
                                     {"clustered", true, false},
                                     {"plain-mistaken", false, true},
                                     {"clustered-mistaken", true, true}};

/// What there is to run, and its name.
std::vector<std::pair<std::string, Options>> things(const Drawn& drawn) {
  std::vector<std::pair<std::string, Options>> all;
  for (const GraphKind& kind : graph_kinds) {
    Options options;
    options.clustered = kind.clustered;
    options.mistakes = kind.mistakes;
    all.emplace_back(fmt::format("graphs/{}", kind.name), std::move(options));
  }
  for (const workloads::Workload* workload : workloads::all_workloads()) {
    const std::vector<workloads::CaseInfo> cases = workload->cases();
    const auto chosen = drawn.case_name.empty()
                            ? cases.begin()
                            : std::ranges::find(cases, drawn.case_name, &workloads::CaseInfo::name);
    if (chosen == cases.end()) continue;
    Options options;
    options.workload = workload->name();
    options.case_name = chosen->name;
    options.stub_kernels = drawn.stub_kernels;
    all.emplace_back(fmt::format("workloads/{}:{}", workload->name(), chosen->name),
                     std::move(options));
  }
  return all;
}

}  // namespace

/// Of the unit's own alone: `pto2 stress` refuses what has no effect. The case is in the name.
std::string DrawnUnit::options_of_repeat() const {
  std::string text;
  if (options_.fan_out != FanOutKind::word) {
    text += fmt::format(" --fan-out {}", fan_out_name(options_.fan_out));
  }
  if (options_.stub_kernels) text += " --stub-kernels";
  return text;
}

UnitReport DrawnUnit::run(const Budget& budget, const cli::NumberRange& seeds, UnitCounts& counts) {
  const auto end = std::chrono::steady_clock::now() + budget.time();
  std::stop_source stop;
  const auto ended = [&](const simulations::SimulatedRun& run) {
    const uint64_t runs = counts.runs.fetch_add(1) + 1;
    const uint64_t tasks = counts.tasks.fetch_add(run.tasks) + run.tasks;
    if (run.wrong()) counts.add_wrong(counts.seed.load(), run.problems);
    const bool spent = runs >= budget.runs || tasks >= budget.tasks;
    if (spent || std::chrono::steady_clock::now() >= end) stop.request_stop();
  };
  // How to repeat a run that crashes is told by whoever waits for this process, and not here.
  const simulations::Watch watch{[&](uint64_t seed) { counts.seed.store(seed); }, ended,
                                 [](uint64_t) { return std::string(); }};
  simulations::Summary summary =
      simulations::simulate(options_, seeds, 1, stop.get_token(), make_, watch);
  if (summary.failure != nullptr) std::rethrow_exception(summary.failure);
  return {std::move(summary.outcomes), std::move(summary.never_seen), std::move(summary.wrong)};
}

/// All that their runs follow from is in the tokens, which cannot say the lock.
std::vector<std::string> DrawnUnit::simulations(uint64_t seed) const {
  std::vector<std::string> tokens;
  if (options_.fan_out == FanOutKind::lock) return tokens;
  Options options = options_;
  for (const ExecutorRow& row : executor_table()) {
    if (!is_simulated(row.executor)) continue;
    options.executor = row.executor;
    tokens.push_back(simulations::to_string({options, seed, ""}));
  }
  return tokens;
}

Simulated DrawnUnit::simulate(const std::string& token) {
  const simulations::Token parsed = simulations::parse_token(token);
  const simulations::SimulatedRun run = make_(parsed.options)->run(parsed.seed);
  if (!run.wrong()) return {};
  std::string story;
  for (const std::string& problem : run.problems) story += fmt::format("wrong: {}\n", problem);
  return {token, std::move(story), !run.livelocked && !run.timed_out};
}

Simulated DrawnUnit::shrink(const std::string& token, std::chrono::nanoseconds time) {
  simulations::Token smaller = simulations::parse_token(token);
  std::stop_source enough;
  smaller.options.stop = enough.get_token();
  const std::jthread timer([&](const std::stop_token& over) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, over, time, [] { return false; });
    enough.request_stop();
  });
  simulations::Shrunk shrunk = make_(smaller.options)->shrink(smaller.seed);
  if (!shrunk.wrong) return {};
  smaller.shrunk = std::move(shrunk.token);
  return {simulations::to_string(smaller), std::move(shrunk.story)};
}

Units drawn_units(const Drawn& drawn) {
  Units units;
  for (const ExecutorRow& row : executor_table()) {
    if (is_simulated(row.executor)) continue;
    for (auto& [name, options] : things(drawn)) {
      options.executor = row.executor;
      options.fan_out = drawn.fan_out;
      units.push_back(
          std::make_unique<DrawnUnit>(fmt::format("{}/{}", name, row.name), std::move(options)));
    }
  }
  return units;
}

}  // namespace pto2::stress
