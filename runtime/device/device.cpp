#include "runtime/device/device.hpp"

#include <fmt/core.h>

#include <chrono>

#include "runtime/device/variants.hpp"
#include "runtime/orchestrator/orchestrator.hpp"
#include "runtime/scheduler/scheduler.hpp"

namespace pto2 {

namespace {

/// The logical threads of one launch and what they share.
template <class P, template <class> class F>
class Run {
 public:
  using Bell = typename P::doorbell;

  Run(const DeviceConfig& config, const typename P::team_options& options, const Launch& what)
      : state_(config),
        team_(options),
        orchestrator_(state_, {what.kernels, what.entry, what.log}) {
    for (uint32_t s = 0; s < config.schedulers; ++s) {
      schedulers_.push_back(std::make_unique<Scheduler<P, F>>(state_, s));
    }
    add_threads();
    if (config.events != 0) enable_events();
  }

  RunResult execute() {
    {
      const typename P::reminder reminder(state_.orchestrator_bell);
      team_.run();
    }
    RunResult result = collect();
    if (result.error.code == ErrorCode::ok &&
        !(state_.drained(result.tasks) && orchestrator_.invariant_holds())) {
      result.error = {
          ErrorCode::not_drained,
          "tasks or queue entries are left, or a structure is damaged, after a clean run",
          "this is a bug of the runtime: report it with the command line"};
    }
    return result;
  }

 private:
  void add_threads() {
    const DeviceConfig& config = state_.config;
    state_.orchestrator_bell = Bell(team_.add("orchestrator", 0, [this] { orchestrator_.run(); }));
    for (uint32_t s = 0; s < config.schedulers; ++s) {
      Scheduler<P, F>* scheduler = schedulers_[s].get();
      state_.scheduler_bells[s] =
          Bell(team_.add(fmt::format("scheduler{}", s), 1 + s, [scheduler] { scheduler->run(); }));
    }
    for (uint32_t c = 0; c < config.blocks; ++c) {
      add_core(state_.cube_core(c), c, fmt::format("aic{}", c));
      add_core(state_.vector_core(c, 0), c, fmt::format("aiv{}", 2 * c));
      add_core(state_.vector_core(c, 1), c, fmt::format("aiv{}", 2 * c + 1));
    }
  }

  void add_core(uint32_t number, uint32_t cluster, std::string name) {
    AiCore<P>& core = state_.cores[number];
    const uint32_t scheduler = cluster % state_.config.schedulers;
    auto& thread = team_.add(std::move(name), 1 + scheduler, [&core] { core.run(); });
    core.connect(state_.scheduler_bells[scheduler], Bell(thread), state_.config.kernel_timing);
  }

  void enable_events() {
    const std::size_t capacity = state_.config.events;
    orchestrator_.log() = EventLog("orchestrator", capacity);
    for (uint32_t s = 0; s < schedulers_.size(); ++s) {
      schedulers_[s]->log() = EventLog(fmt::format("scheduler{}", s), capacity);
    }
    for (uint32_t i = 0; i < state_.cores.size(); ++i) {
      const bool cube = i < state_.config.blocks;
      state_.cores[i].log() = EventLog(
          fmt::format("{}{}", cube ? "aic" : "aiv", cube ? i : i - state_.config.blocks), capacity);
    }
  }

  RunResult collect() {
    RunResult result;
    result.error = orchestrator_.error();
    const OrchestratorCounts& own = orchestrator_.counts();
    result.tasks = own.tasks;
    result.edges_linked = own.edges_linked;
    result.edges_early = own.edges_early;
    result.holds = own.holds;
    result.waits = own.waits;
    result.wait_ns = own.wait_ns;
    result.cas_retries = own.cas_retries;
    result.peak_window = own.peak_window;
    result.slots_recycled = own.slots_recycled;
    result.host_threads = team_.host_threads();
    if (orchestrator_.log().enabled()) result.events.push_back(std::move(orchestrator_.log()));
    for (auto& scheduler : schedulers_) {
      const SchedulerCounts& counts = scheduler->counts();
      result.dispatches += counts.dispatches;
      result.steals += counts.steals;
      result.cas_retries += counts.cas_retries;
      result.scheduler_parks += counts.parks;
      if (scheduler->log().enabled()) result.events.push_back(std::move(scheduler->log()));
    }
    for (auto& core : state_.cores) {
      result.acks += core.counts().acks;
      result.fins += core.counts().fins;
      result.kernel_ns += core.counts().kernel_ns;
      if (core.log().enabled()) result.events.push_back(std::move(core.log()));
    }
    if constexpr (requires { team_.points(); }) result.points = team_.points();
    return result;
  }

  RunState<P, F> state_;
  typename P::team team_;
  Orchestrator<P, F> orchestrator_;
  std::vector<std::unique_ptr<Scheduler<P, F>>> schedulers_;
};

template <class P>
RunResult launch_on(const DeviceConfig& config, const typename P::team_options& options,
                    const Launch& what) {
  validate(config);
  const auto begin = std::chrono::steady_clock::now();
  RunResult result;
  if (config.fan_out == FanOutKind::word) {
    result = Run<P, TaskWord>(config, options, what).execute();
  } else {
    result = Run<P, FanOutLock>(config, options, what).execute();
  }
  result.wall_ns = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
          .count());
  return result;
}

}  // namespace

RunResult launch(const DeviceConfig& config, const platform::TeamOptions& team,
                 const Launch& what) {
  return launch_on<platform::Hardware>(config, team, what);
}

RunResult launch_seeded(const DeviceConfig& config, const platform::SeededOptions& options,
                        const Launch& what) {
  return launch_on<platform::Seeded>(config, options, what);
}

}  // namespace pto2
