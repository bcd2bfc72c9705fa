/// What a run is put together from: the chip's cores, the shared state, the orchestrator and the
/// schedulers, and what is made of them when they have returned. Launches and the whole-runtime
/// scenarios of the checker have the same, so that what is explored is what ships; they differ in
/// who runs the logical threads.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/chip/argument_text.hpp"
#include "runtime/device/run_audit.hpp"
#include "runtime/device/run_record.hpp"
#include "runtime/device/thread_names.hpp"
#include "runtime/executors/image_names.hpp"

namespace pto2 {

/// The logical threads are numbered as the logs of the record are: the orchestrator, the
/// schedulers, the cores.
template <executors::ExecutionPolicy P, template <class> class F>
class Assembly {
 public:
  using Bell = typename P::doorbell;

  Assembly(const DeviceConfig& config, const OrchestratorInput& input)
      : kernels_(input.kernels), state_(config), orchestrator_(state_, input) {
    for (uint32_t s = 0; s < config.chip.schedulers; ++s) {
      schedulers_.push_back(std::make_unique<Scheduler<P, F>>(state_, SchedulerId(s)));
    }
    if (config.events != 0) enable_events<P, F>(state_, orchestrator_, schedulers_);
  }

  [[nodiscard]] const Chip& chip() const { return state_.config.chip; }
  [[nodiscard]] uint32_t thread_of(SchedulerId scheduler) const { return 1 + scheduler.value; }
  [[nodiscard]] uint32_t thread_of(CoreId core) const { return 1 + chip().schedulers + core.value; }
  [[nodiscard]] std::string name_of(uint32_t thread) const {
    if (thread == 0) return orchestrator_name;
    return thread <= chip().schedulers ? scheduler_name(thread - 1)
                                       : chip().name_of(core_of(thread));
  }

  // Before the run: how each thread is woken. A core's scheduler comes before it.
  void connect_orchestrator(Bell bell) { state_.orchestrator_bell = bell; }
  void connect(SchedulerId scheduler, Bell bell) { state_.scheduler_bells[scheduler.value] = bell; }
  void connect(CoreId core, Bell bell) {
    state_.cores[core.value].connect(core, state_.scheduler_bells[chip().scheduler_of(core).value],
                                     bell, state_.config.kernel_timing, state_.calls.run,
                                     state_.calls.guard_of(core), state_);
  }

  /// The body of a logical thread.
  void run(uint32_t thread) {
    if (thread == 0) return orchestrator_.run();
    if (thread <= chip().schedulers) return schedulers_[thread - 1]->run();
    core(core_of(thread)).run();
  }
  // For who runs them in steps.
  [[nodiscard]] AiCore<P>& core(CoreId core) { return state_.cores[core.value]; }
  [[nodiscard]] Scheduler<P, F>& scheduler(SchedulerId s) { return *schedulers_[s.value]; }

  /// While the threads run, from any OS thread: gives the run up.
  void interrupt() { state_.give_up(ErrorCode::interrupted, {}); }

  /// After all threads have returned: what the run came to, with its audit and its record.
  /// `add(result)` adds what only those know who have run the threads. Throws std::bad_alloc, also
  /// if the run was given up for want of memory.
  template <class Add>
  [[nodiscard]] RunResult finish(Add&& add) {
    if (orchestrator_.lacked_memory()) throw std::bad_alloc();
    RunResult result = collect<P, F>(state_, orchestrator_, schedulers_);
    note_interruption(result);
    add(result);
    audit(result);
    add_record<P, F>(state_, orchestrator_, schedulers_, result);
    return result;
  }

  /// The last after finish(), of a run that ended well: lets the next one have the memory. What
  /// goes there last comes out first, so the rings go from the last to the first: each of the next
  /// run gets what the same one had, and its pages.
  void keep_memory() {
    std::vector<uint64_t> tasks;  // ever submitted, by ring
    for (uint32_t r = 0; r < state_.rings.size(); ++r) {
      tasks.push_back(state_.admission.ring(RingId(r)).tasks.next());
    }
    while (!state_.rings.empty()) {
      const auto r = static_cast<uint32_t>(state_.rings.size() - 1);
      state_.rings[r]->keep_memory(tasks[r], state_.admission.ring(RingId(r)).pool.used(0));
      state_.rings.pop_back();
    }
    orchestrator_.dataflow().keep_memory(tasks);
    for (auto& queues : std::views::reverse(state_.ready)) queues.keep_for_the_next();
  }

  /// What of the user's a logical thread runs, in words; empty: nothing.
  [[nodiscard]] std::string user_code_of(const std::string& thread) const {
    if (thread == orchestrator_name) return "the orchestration";
    const CoreCounts* const counts = counts_of(thread);
    return counts == nullptr ? std::string() : kernel_of(*counts, thread);
  }
  /// The same of what has called abort() there: none of the orchestration's in a call of ours, or
  /// when it is over.
  [[nodiscard]] std::string aborted_code_of(const std::string& thread) const {
    const bool is_ours =
        thread == orchestrator_name && orchestrator_.handle().code().turn() % 2 == 0;
    return is_ours ? std::string() : user_code_of(thread);
  }
  /// For a handler on that thread: the arguments of the kernel that it runs; empty: it runs none.
  [[nodiscard]] std::string arguments_of(const std::string& thread) const {
    const CoreCounts* const counts = counts_of(thread);
    if (counts == nullptr || counts->acks == counts->fins) return {};
    return arguments_text(counts->called->arguments);
  }

  /// Of what a scheduler runs itself, or a core; null: it is neither's thread.
  [[nodiscard]] const CoreCounts* counts_of(const std::string& thread) const {
    for (uint32_t s = 0; s < schedulers_.size(); ++s) {
      if (thread == scheduler_name(s)) return &schedulers_[s]->counts().own_tasks;
    }
    for (uint32_t core = 0; core < state_.cores.size(); ++core) {
      if (thread == chip().name_of(CoreId(core))) return &state_.cores[core].counts();
    }
    return nullptr;
  }
  /// Empty: no kernel runs there. For a handler on that thread, as user_code_of() is.
  [[nodiscard]] std::string kernel_of(const CoreCounts& counts, const std::string& thread) const {
    if (counts.acks == counts.fins) return {};
    const CalledKernel& called = *counts.called;
    const auto number = std::ranges::find(kernels_, called.kernel) - kernels_.begin();
    return fmt::format("{}, task {} of ring {}, on {},",
                       kernel_text(static_cast<std::size_t>(number), called.kernel),
                       local_of(called.task), ring_of(called.task).value, thread);
  }

  [[nodiscard]] RunState<P, F>& state() { return state_; }
  [[nodiscard]] const RunState<P, F>& state() const { return state_; }
  [[nodiscard]] Orchestrator<P, F>& orchestrator() { return orchestrator_; }
  [[nodiscard]] const Orchestrator<P, F>& orchestrator() const { return orchestrator_; }
  [[nodiscard]] std::span<const std::unique_ptr<Scheduler<P, F>>> schedulers() const {
    return schedulers_;
  }

 private:
  /// Whose thread it is. Requires a core's.
  [[nodiscard]] CoreId core_of(uint32_t thread) const {
    return CoreId(thread - thread_of(CoreId(0)));
  }
  /// It may have come when the orchestrator had seen the end already.
  void note_interruption(RunResult& result) const {
    if (static_cast<ErrorCode>(state_.fatal.code()) != ErrorCode::interrupted) return;
    result.error = {ErrorCode::interrupted,
                    fmt::format("the run was interrupted; {} tasks had been submitted, and {} of "
                                "them had completed",
                                result.tasks, result.completions),
                    row_of(ErrorCode::interrupted).hint};
  }

  /// Says in the result what the run has damaged or, unless it was given up, left behind.
  void audit(RunResult& result) {
    RunError& error = result.error;
    result.damaged = damaged_structures(state_, orchestrator_, result.tasks, error.code);
    if (error.code != ErrorCode::ok) count_phases(state_, result.phases);
    std::vector<std::string> left;
    if (!row_of(error.code).ends_early) {
      left = leftovers(state_, result.tasks + orchestrator_.tickets());
    }
    add_findings(error, std::move(left), result.damaged);
  }

  std::span<const KernelEntry> kernels_;  // by id
  RunState<P, F> state_;
  Orchestrator<P, F> orchestrator_;
  std::vector<std::unique_ptr<Scheduler<P, F>>> schedulers_;
};

}  // namespace pto2
