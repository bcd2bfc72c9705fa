/// A launch on a policy and a fan-out: the logical threads, their run, and the audit behind it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "runtime/device/device.hpp"
#include "runtime/device/exit_guard.hpp"
#include "runtime/device/run_audit.hpp"
#include "runtime/device/run_record.hpp"

namespace pto2 {

/// Where the tensor handles of a launch start, far from those of the launches before.
[[nodiscard]] uint32_t next_generation();

/// The logical threads of one launch and what they share.
template <executors::LaunchPolicy P, template <class> class F>
class Run {
 public:
  using Bell = typename P::doorbell;

  Run(const DeviceConfig& config, const typename P::team_options& options, const Launch& what)
      : kernels_(what.kernels),
        state_(config),
        team_(options),
        orchestrator_(state_, {what.kernels, what.entry, what.log, next_generation()}) {
    for (uint32_t s = 0; s < config.chip.schedulers; ++s) {
      schedulers_.push_back(std::make_unique<Scheduler<P, F>>(state_, s));
    }
    add_threads();
    if (config.events != 0) enable_events<P, F>(state_, orchestrator_, schedulers_);
  }

  RunResult execute() {
    {
      const typename P::reminder reminder(state_.orchestrator_bell);
      const ExitGuard guard([this] { return user_code_here(); });
      team_.run();
    }
    RunResult result = collect<P, F>(state_, orchestrator_, schedulers_);
    result.host_threads = team_.host_threads();
    if constexpr (requires { team_.points(); }) {
      result.points = team_.points();
      result.weak_memory = P::weak_memory;
      result.kernels_last = team_.kernels_last();
    }
    audit(result);
    add_record<P, F>(state_, orchestrator_, schedulers_, result);
    return result;
  }

 private:
  /// What of the user's the calling OS thread runs; empty: nothing of this run.
  [[nodiscard]] std::string user_code_here() const {
    const std::string thread = P::running_thread();
    if (thread.empty()) return {};
    if (thread == orchestrator_name) return "the orchestration";
    const auto kernel = [&](const CoreCounts& counts) {
      return fmt::format("kernel {}, task {} of ring {}, on {},",
                         std::ranges::find(kernels_, counts.kernel) - kernels_.begin(),
                         local_of(counts.task), ring_of(counts.task), thread);
    };
    for (uint32_t s = 0; s < schedulers_.size(); ++s) {
      if (thread == scheduler_name(s)) return kernel(schedulers_[s]->counts().own_tasks);
    }
    for (uint32_t core = 0; core < state_.cores.size(); ++core) {
      if (thread == state_.config.chip.core_name(core)) return kernel(state_.cores[core].counts());
    }
    return {};
  }

  /// Says in the result what the run has damaged or, unless it was given up, left behind.
  void audit(RunResult& result) {
    RunError& error = result.error;
    result.damaged = damaged_structures(state_, orchestrator_, result.tasks, error.code);
    if (error.code != ErrorCode::ok) count_phases(state_, result.phases);
    if (error.code == ErrorCode::ok) {
      std::vector<std::string> found = leftovers(state_, result.tasks + orchestrator_.tickets());
      for (const std::string& name : result.damaged) found.push_back("damaged: " + name);
      if (found.empty()) return;
      error.code = ErrorCode::not_drained;
      error.message = fmt::format("after a clean run: {}", fmt::join(found, "; "));
      error.hint = "this is a bug of the runtime: report it with the command line";
    } else if (!result.damaged.empty()) {
      error.message += fmt::format("; besides, damaged: {}", fmt::join(result.damaged, "; "));
      error.hint += "; the damage is a bug of the runtime: report it with the command line";
    }
  }

  void add_threads() {
    const Chip& chip = state_.config.chip;
    state_.orchestrator_bell =
        Bell(team_.add(orchestrator_name, 0, [this] { orchestrator_.run(); }));
    for (uint32_t s = 0; s < chip.schedulers; ++s) {
      Scheduler<P, F>* scheduler = schedulers_[s].get();
      state_.scheduler_bells[s] =
          Bell(team_.add(scheduler_name(s), 1 + s, [scheduler] { scheduler->run(); }));
    }
    for (uint32_t block = 0; block < chip.blocks; ++block) {
      chip.for_each_core_of_block(block, [this](uint32_t core) { add_core(core); });
    }
    chip.for_each_accelerator([this](uint32_t core) { add_core(core); });
  }

  void add_core(uint32_t number) {
    const Chip& chip = state_.config.chip;
    AiCore<P>& core = state_.cores[number];
    const uint32_t scheduler = chip.scheduler_of(number);
    auto& thread = team_.add(chip.core_name(number), 1 + scheduler, [&core] { core.run(); });
    core.connect(number, state_.scheduler_bells[scheduler], Bell(thread),
                 state_.config.kernel_timing, state_.calls,
                 [this](const ArgumentFault& fault) { state_.give_up(fault); });
  }

  std::span<const KernelEntry> kernels_;  // by id
  RunState<P, F> state_;
  typename P::team team_;
  Orchestrator<P, F> orchestrator_;
  std::vector<std::unique_ptr<Scheduler<P, F>>> schedulers_;
};

/// Throws ConfigError if the configuration names another fan-out than `fan_out`, which is F.
template <executors::LaunchPolicy P, template <class> class F>
RunResult launch_on(FanOutKind fan_out, const DeviceConfig& config,
                    const typename P::team_options& options, const Launch& what) {
  validate(config);
  check_fan_out(config, fan_out);
  const auto begin = std::chrono::steady_clock::now();
  RunResult result = Run<P, F>(config, options, what).execute();
  result.wall_ns = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
          .count());
  return result;
}

}  // namespace pto2
