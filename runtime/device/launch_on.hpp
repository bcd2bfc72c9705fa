/// A launch on a policy and a fan-out: an assembly, and the team of logical threads that runs it.
#pragma once

#include <chrono>
#include <stop_token>

#include "runtime/device/assembly.hpp"
#include "runtime/device/core_calls.hpp"
#include "runtime/device/crash_guard.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/exit_guard.hpp"
#include "runtime/device/still_running.hpp"
#include "runtime/executors/ticker.hpp"

namespace pto2 {

/// Where the tensor handles of a launch start, far from those of the launches before.
[[nodiscard]] uint32_t next_generation();
/// The same for a launch with a graph: from there on they do not come to an end.
[[nodiscard]] inline uint32_t next_generation_of_graph() {
  return (next_generation() & 0x7fffffffU) | 1;
}

/// The logical threads of one launch.
template <executors::LaunchPolicy P, template <class> class F>
class Run {
 public:
  using Bell = typename P::doorbell;

  Run(const DeviceConfig& config, const typename P::team_options& options, const Launch& what)
      : stop_(what.stop),
        assembly_(config, {what.kernels, what.entry, what.log,
                           what.graph == nullptr ? next_generation() : next_generation_of_graph(),
                           what.graph, what.declared, what.arrays}),
        team_(options) {
    assembly_.state().calls.run.calls = core_calls_.table();
    assembly_.state().calls.waits = &core_calls_.waits();
    if constexpr (is_simulated) {
      team_.fail_by(what.fault);
      team_.when_nobody_goes_on([this] { return core_calls_.end_all(); });
    }
    const Bell orchestrator = add(0, 0);
    assembly_.connect_orchestrator(orchestrator);
    core_calls_.tell_of_waits(orchestrator);
    const Chip& chip = assembly_.chip();
    for (uint32_t s = 0; s < chip.schedulers; ++s) {
      const SchedulerId id(s);
      const Bell bell = add_stepped(assembly_.thread_of(id), 1 + s, assembly_.scheduler(id));
      assembly_.connect(id, bell);
      core_calls_.add(chip.worker_of(id), bell);
    }
    for (uint32_t cluster = 0; cluster < chip.clusters; ++cluster) {
      chip.for_each_core_of(ClusterId(cluster), [this](CoreId core) { add_core(core); });
    }
    chip.for_each_accelerator([this](CoreId core) { add_core(core); });
  }

  RunResult execute() {
    {
      // What the calling thread is inside of, if that launches a run, it is afterwards.
      const executors::OtherFiber caller;
      // Of other launches' threads some have the same names.
      const auto who = [this] { return assembly_.user_code_of(team_.running_thread()); };
      const ExitGuard at_exit(who);
      const CrashGuard at_crash(
          who, [this] { return assembly_.arguments_of(team_.running_thread()); },
          [this] { return assembly_.aborted_code_of(team_.running_thread()); });
      const uint64_t deadline = assembly_.state().config.deadline_ms;
      const typename P::reminder reminder(
          assembly_.state().orchestrator_bell, team_,
          {deadline, &assembly_.orchestrator().handle().code(),
           [deadline](const executors::KernelState& thread, bool is_last) {
             CrashGuard::end_stuck(thread, deadline, is_last);
           },
           [deadline](const executors::KernelState& thread) {
             CrashGuard::end_mute(thread, deadline);
           },
           [this](std::span<const executors::KernelState> threads) {
             if (stop_.stop_requested()) {
               executors::try_tick([&] { still_running_.look(threads); });
             }
             look_after_calls();
             if constexpr (is_simulated) {
               core_calls_.count_look();
             } else {
               core_calls_.look(threads);
             }
           }});
      const std::stop_callback interruption(stop_, [this] { interrupt(); });
      team_.run();
    }
    RunResult result = assembly_.finish([this](RunResult& known) {
      known.host_threads = team_.host_threads();
      note_still_running(known);
      if constexpr (is_simulated) {
        known.points = team_.points();
        known.weak_memory = P::weak_memory;
        known.kernels_last = team_.kernels_last();
        known.fault_reached = team_.fault_reached();
      }
    });
    if (result.error.code == ErrorCode::ok) assembly_.keep_memory();
    return result;
  }

 private:
  static constexpr bool has_stepped = requires(typename P::team & team) {
    team.add_stepped(std::string(), 0, [] { return executors::AfterStep::end; });
  };
  static constexpr bool is_simulated = executors::SimulatedPolicy<P>;

  /// No thread but those of its schedule may touch a simulation.
  void interrupt() {
    if constexpr (!is_simulated) assembly_.interrupt();
  }

  /// At each look. A run may fail without a call of the orchestration's noticing; if that goes on
  /// to call, it does so for ever, perhaps, and would never be too late. So its calls come to
  /// nothing once an interruption was noticed, or a deadlock was counted for half a second and
  /// more. In a simulation, which has no time, that is once it should have returned.
  void look_after_calls() {
    if (!assembly_.state().has_failed.load()) return;
    const uint64_t deadline = assembly_.state().config.deadline_ms;
    if (is_simulated && deadline == 0) return;
    const uint64_t patience = stop_.stop_requested() ? 0 : is_simulated ? deadline : 500;
    if (looks_since_failure_++ > executors::KernelWatch::looks_in(patience))
      assembly_.orchestrator().handle().stop_calls();
  }

  /// An interrupted run says for whom it had to wait.
  void note_still_running(RunResult& result) const {
    if (result.error.code != ErrorCode::interrupted) return;
    for (const std::string& what : still_running_.told()) {
      result.error.message += fmt::format("; {} had not returned then", what);
    }
  }

  /// A logical thread, which the executor keeps near those of its group.
  Bell add(uint32_t thread, uint32_t group) {
    return Bell(
        team_.add(assembly_.name_of(thread), group, [this, thread] { assembly_.run(thread); }));
  }
  /// The same of a core or a scheduler, which may need no stack of its own.
  template <class Stepped>
  Bell add_stepped(uint32_t thread, uint32_t group, Stepped& it) {
    if constexpr (has_stepped) {
      return Bell(team_.add_stepped(assembly_.name_of(thread), group, [&it] { return it.step(); }));
    } else {
      return add(thread, group);
    }
  }
  void add_core(CoreId core) {
    const uint32_t group = 1 + assembly_.chip().scheduler_of(core).value;
    const Bell bell = add_stepped(assembly_.thread_of(core), group, assembly_.core(core));
    assembly_.connect(core, bell);
    core_calls_.add(core, bell);
  }

  std::stop_token stop_;
  uint64_t looks_since_failure_ = 0;  // the watch's
  Assembly<P, F> assembly_;
  typename P::team team_;
  CoreCalls<P> core_calls_{assembly_.chip(), assembly_.state().config.deadline_ms,
                           [this] { return assembly_.state().fatal.is_set(); },
                           [this] { return team_.running_thread(); }};
  StillRunning still_running_{
      [this](const std::string& thread) { return assembly_.counts_of(thread); },
      [this](const CoreCounts& counts, const std::string& thread) {
        return assembly_.kernel_of(counts, thread);
      }};
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
  if (what.graph != nullptr) {
    what.graph->end(result.error.code == ErrorCode::ok, result.tasks);
    result.graph = what.graph->use();
  }
  return result;
}

}  // namespace pto2
