/// The definitions behind orchestrator.hpp.
#pragma once

#include "runtime/orchestrator/orchestrator.hpp"

#include <cxxabi.h>
#include <fmt/core.h>

#include <cstdlib>
#include <type_traits>

#include "runtime/chip/argument_text.hpp"
#include "runtime/orchestrator/graph_calls.hpp"
#include "runtime/orchestrator/submitter_impl.hpp"

namespace pto2 {

/// Counting goes on far beyond what a chip may have, as long as a submission can name the cluster.
inline constexpr uint32_t max_counted_cluster = INT16_MAX;
static_assert(max_counted_cluster >= max_clusters);

template <executors::ExecutionPolicy P, template <class> class F>
Orchestrator<P, F>::Orchestrator(State& state, OrchestratorInput input)
    : OrchestrationRuntime(std::move(input.log)),
      state_(state),
      entry_(std::move(input.entry)),
      handle_(executors::RuntimeHandle::take(*this, OrchestrationOps<Orchestrator>::table)),
      dataflow_(state.config, input.first_generation, input.arrays),
      graph_(input.graph, state.config, input.arrays, input.first_generation),
      submitter_(state, dataflow_, counting_, log_sink, log_, counts_),
      counting_(state.config.rings, state.config.heap_bytes, P::ticks_per_second / 2),
      groups_(state.config.chip.clusters),
      intake_(input.kernels, input.declared, state.config.chip, groups_) {
  if (graph_.replay() != nullptr) {
    handle_->begin(executors::RunKind::replayed,
                   OrchestrationOps<Orchestrator, ReplayedCalls<Orchestrator>>::table);
  } else if (graph_.is_recorded()) {
    handle_->begin(executors::RunKind::recorded,
                   OrchestrationOps<Orchestrator, RecordedCalls<Orchestrator>>::table);
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::run() {
  start_up();
  with_memory([this] { run_orchestration(); });
  finish();
  record<P>(log_, EventKind::exit, no_task);
}

/// Gives the run up if `step` lacks memory; what it returns is nothing then. If `leaves_whole`, the
/// step changes nothing of ours, so that a run that is given up already keeps its reason.
template <executors::ExecutionPolicy P, template <class> class F>
template <bool leaves_whole, class Step>
auto Orchestrator<P, F>::with_memory(Step&& step) -> decltype(step()) {
  using Result = decltype(step());
  try {
    return step();
  } catch (const std::bad_alloc&) {
    if (leaves_whole && state_.fatal.is_set()) return Result();
    has_memory_ = false;
  }
  // Outside of the handler, in which a fiber must not wait.
  stop();
  state_.give_up(no_memory, {});
  return Result();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::start_up() {
  auto& startup = state_.startup;
  startup.sm_header_ready.set();
  state_.ring_schedulers();
  P::await([&] { return startup.init_complete.is_set(); });
  startup.orch_pointers_ready.set();
  state_.ring_schedulers();
  submitter_.begin();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::run_orchestration() {
  scope_begin();
  call_entry();
  if (handle_->are_calls_stopped()) mode_ == Mode::counting ? finish_counting(false) : stop();
  if (mode_ == Mode::running && !scopes_.empty()) counts_.open_scopes = scopes_.depth();
  while (!scopes_.empty() && has_memory_) scope_end();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::call_entry() {
  try {
    handle_->code().call([this] { entry_(handle_.get()); });
  } catch (const abi::__forced_unwind&) {
    std::exit(EXIT_FAILURE);  // as call_kernel() does
  } catch (...) {
    fail(error_of_exception("aicpu_orchestration_entry"));
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::finish() {
  auto& startup = state_.startup;
  startup.orchestrator_done.set();
  if (mode_ == Mode::counting) with_memory([this] { finish_counting(true); });
  record<P>(log_, EventKind::wait, no_task);
  bool given_up = false;
  // No completion rings for it: a scheduler without work does, before it sleeps (SC-I2).
  P::await([&] {
    given_up = state_.fatal.is_set();
    return given_up || submitter_.quiescent();
  });
  if (state_.calls.guard != nullptr && !given_up) [[unlikely]]
    given_up = has_late_finding();
  with_memory([&] {
    if (given_up) [[unlikely]] {
      adopt_fault();
    } else {
      report(dataflow_.pipes().end_all());
    }
    if (const char* call = handle_->misplaced_call()) fail(error_of_misplaced(call));
  });
  startup.shutdown.set();
  state_.ring_schedulers();
  for (uint32_t r = 0; r < state_.config.rings; ++r) {
    const TaskRing& ring = state_.admission.ring(RingId(r)).tasks;
    counts_.peak_window = std::max(counts_.peak_window, ring.most_active());
    const uint64_t tasks = ring.next();
    counts_.slots_recycled += tasks > state_.config.window ? tasks - state_.config.window : 0;
  }
}

/// True: a kernel wrote where it must not, and nobody else has seen it. The run is given up.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] bool Orchestrator<P, F>::has_late_finding() {
  const auto late = state_.calls.guard->close();
  if (late) state_.give_up(KernelFault(*late));
  return late.has_value();
}

/// Who ran a kernel may have given the run up, for its fault. That came first then, whatever
/// the orchestrator has met since.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::adopt_fault() {
  const auto code = static_cast<ErrorCode>(state_.fatal.code());
  if (code == no_memory) return;
  if (!is_kernel_fault(code)) return;
  const FatalDetails details = state_.fatal.details();
  if (!details.kernel.is_set()) {
    error_ = describe_pipe_fault(details.pipe);
    return;
  }
  error_ = describe_kernel_fault(details.kernel, state_.config.chip, intake_.kernels());
  if (details.kernel.kind != KernelFault::Kind::stuck) return;
  // The task never completes, so its slot still has its arguments.
  const SlotId slot = state_.life.slot_id(details.kernel.task);
  error_.message += "; its arguments: " + arguments_text(*state_.arguments(slot).reading());
}

/// Whatever call this happens in goes to its end: nothing that it still does may submit.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::stop() {
  mode_ = Mode::stopped;
  look_at_course();
  handle_->stop_calls();
}

/// Takes the error if it is the first.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::fail(RunError error) {
  if (mode_ == Mode::counting)
    finish_counting(false);  // the deadlock remains what the user is told
  stop();
  if (error_.code != ErrorCode::ok) return;
  error_ = std::move(error);
  state_.latch(error_.code, {submitter_.submitted()});
  state_.ring_schedulers();
}

/// Apart from reserve(), which every submission passes.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Orchestrator<P, F>::begin_counting() {
  if (GraphReplay* const replay = graph_.replay()) {
    replay->take_back();
    leave_graph("it is deadlocked");
    submission_.id =
        make_id(submission_.ring, state_.admission.ring(submission_.ring).tasks.next());
    const bool means_the_same = dataflow_.resolve(submission_);
    PTO2_INVARIANT("RG-I1", means_the_same);
  }
  Deadlock deadlock = submitter_.deadlock();
  deadlock.groups = groups_.open_groups();
  error_.code = deadlock_code(deadlock.resource);
  state_.latch(error_.code, {submitter_.submitted()});
  state_.ring_schedulers();
  mode_ = Mode::counting;
  look_at_course();
  submission_.counted = true;
  Counting::PerRing next{};
  for (uint32_t r = 0; r < state_.config.rings; ++r) {
    next[r] = state_.admission.ring(RingId(r)).tasks.next();
  }
  counting_.begin(std::move(deadlock), next, state_.admission.alive(), P::now());
}

/// The orchestration has returned (`to_end`), has met an error or goes on for too long or too far:
/// says what was learnt.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::finish_counting(bool to_end) {
  error_ = counting_.finish(to_end, groups_, state_.config);
  stop();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::scope_begin() {
  if (has_left_outer_scope()) [[unlikely]]
    fail({ErrorCode::bad_submission, "scope_begin() behind the end of the outer scope",
          "a scope_end() more than scopes were begun has ended it: use PTO2_SCOPE"});
  if (graph_.replay() == nullptr) {
    dataflow_.scope_begin(submitter_.submitted() + counting_.tasks() + 1);
    counting_.scope_begin();
  }
  const RingId ring(std::min(scopes_.size(), state_.config.rings - 1));
  scopes_.begin(ring, state_.admission.ring(ring).tasks.next());
  look_at_course();
  if (mode_ == Mode::counting && !counting_.goes_on(P::now())) finish_counting(false);
  if (submitter_.task_trace().enabled() && mode_ == Mode::running) [[unlikely]] {
    record<P>(log_, {.scope = submitter_.task_trace().scope_begin(),
                     .place = scopes_.depth(),
                     .kind = EventKind::scope_begin});
  }
}

/// After each change of what the course of the next submission hangs on.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::look_at_course() {
  is_usual_ = mode_ == Mode::running && !done_;
  if (scopes_.empty()) return;
  submission_.depth = scopes_.depth();
  submission_.ring = scopes_.innermost_ring();
  submitter_.enter(submission_.ring);
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::scope_end() {
  if (scopes_.empty()) {
    fail({ErrorCode::bad_submission, "scope_end() without a scope", "use PTO2_SCOPE"});
    return;
  }
  if (submitter_.task_trace().enabled() && mode_ == Mode::running) [[unlikely]] {
    record<P>(log_, {.scope = submitter_.task_trace().scope_end(),
                     .place = scopes_.depth(),
                     .kind = EventKind::scope_end});
  }
  if (!groups_.open_groups().empty()) [[unlikely]] {
    while (const auto group = groups_.close_with_scope(scopes_.depth())) close_group(*group);
  }
  if (graph_.replay() == nullptr) {
    dataflow_.scope_end();
    counting_.scope_end();
  }
  const RingId ring = scopes_.innermost_ring();
  scopes_.end(state_.admission.ring(ring).tasks.next(), [&](RingId, ScopeTasks::Run run) {
    if (mode_ == Mode::running) submitter_.drop_scope(ring, run);
  });
  done_ = done_ || scopes_.empty();
  look_at_course();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::orchestration_done() {
  done_ = true;
  look_at_course();
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline void Orchestrator<P, F>::submit(const Request& request) {
  Submission& task = submission_;
  task.serial = submitter_.submitted() + 1;
  if (!intake_.accept(request, task)) [[unlikely]] {
    refuse(task);
    return;
  }
  if (!is_usual_) [[unlikely]]
    return submit_otherwise(task);
  submitter_.expect(task.type);
  submitter_.observe(task.ring);
  const bool is_placed = request.where != nullptr;
  submitter_.take_arguments(task);
  if (submitter_.show_values(task)) {
    // As below, of a task of which it is known what it needs: a slot.
    if (!submitter_.fits({})) [[unlikely]]
      return submit_late(task);
    return submitter_.make(task, {}, is_placed);
  }
  if (!submitter_.resolve(task)) [[unlikely]] {
    refuse(task);
    return;
  }
  const Needs needs = task.needs();
  if (!submitter_.fits(needs)) [[unlikely]]
    return submit_late(task);
  submitter_.make(task, needs, is_placed);
}

template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::always_inline]] inline bool Orchestrator<P, F>::submit_replayed(const Request& request) {
  GraphReplay* const replay = graph_.replay();
  if (replay == nullptr || !is_usual_) [[unlikely]] {
    DirectCalls<Orchestrator>::submit(*this, request.apart());
    return true;
  }
  Submission& task = submission_;
  task.serial = submitter_.submitted() + 1;
  if (!intake_.accept(request, task)) [[unlikely]] {
    refuse(task);
    return true;
  }
  submitter_.expect(task.type);
  submitter_.observe(task.ring);
  submitter_.take_arguments(task);
  if (!submitter_.resolve(*replay, request, task)) [[unlikely]]
    return false;
  const Needs needs = task.needs();
  if (submitter_.fits(needs)) [[likely]] {
    submitter_.commit(task, needs, submitter_.take(needs), request.where != nullptr, *replay);
  } else {
    submit_late(task);
  }
  return true;
}

/// A submission for which there was no room. It is executed as soon as there is; or counted, if
/// there will be none because of a deadlock; or neither, if the run has ended.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Orchestrator<P, F>::submit_late(Submission& task) {
  const Reserved reserved = submitter_.wait_for_room(task);
  if (reserved != Reserved::fits) {
    reserved == Reserved::deadlocked ? begin_counting() : stop();
    return count(task);
  }
  const Needs needs = task.needs();
  if (GraphReplay* const replay = graph_.replay()) {
    submitter_.commit(task, needs, submitter_.take(needs), task.is_placed(), *replay);
  } else {
    submitter_.make(task, needs, task.is_placed());
  }
}

/// A request that was accepted, when no more may come, or in a run that executes nothing any more.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Orchestrator<P, F>::submit_otherwise(Submission& task) {
  if (done_) {
    Intake::refuse_late(task);
    refuse(task);
    return;
  }
  submitter_.expect(task.type);
  task.serial += counting_.tasks();
  counting_.observe(task.ring, dataflow_.map());
  task.id = counting_.next(task.ring);
  if (dataflow_.resolve(task)) {
    count(task);
  } else {
    refuse(task);
  }
}

/// Of a task that is not executed: if sizes are counted, so is what it needs.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Orchestrator<P, F>::count(Submission& task) {
  if (mode_ != Mode::counting) return;
  if (!counting_.count_only(task, dataflow_, P::now())) finish_counting(false);
}

/// The orchestrator's own books are as if it had served all calls so far. From the next one on it
/// does.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Orchestrator<P, F>::leave_graph(const std::string& reason) {
  class Listener : public PlayListener {
   public:
    Listener(Counting& counting, const GraphReplay& replay)
        : counting_(counting), replay_(replay) {}
    void scope_begin() override { counting_.scope_begin(); }
    void scope_end() override { counting_.scope_end(); }
    void resolved(Submission& task, TaskId) override { counting_.submit(task); }
    uint64_t address_of(const Submission& task) override { return replay_.address_of(task); }

   private:
    Counting& counting_;
    const GraphReplay& replay_;
  };
  const std::string line = "the graph is not replayed any more: " + reason;
  if (log_sink) log_sink(PTO2_LOG_WARN, line.c_str());
  Listener listener(counting_, *graph_.replay());
  graph_.leave(reason, submitter_.submitted(), state_.config, dataflow_, listener);
  dataflow_.map().sync(state_.admission.alive(), true);
  dataflow_.map().keep_to(state_.config.tensormap_pool);
}

/// Fails the run for what is wrong with the submission.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Orchestrator<P, F>::refuse(Submission& task) {
  fail(std::move(task.refusal));
}

template <executors::ExecutionPolicy P, template <class> class F>
int32_t Orchestrator<P, F>::allocate_cluster() {
  if (done_) {
    fail({ErrorCode::bad_submission, "allocate_cluster: the orchestration is done",
          "allocate before pto2_rt_orchestration_done"});
    return 0;
  }
  const std::optional<ClusterId> cluster = take_cluster();
  if (!cluster) return 0;
  // It is free, so the tasks of its last group have completed. PI-I2
  report(dataflow_.pipes().end_group_on(*cluster));
  const OpenGroup group = groups_.open(*cluster, scopes_.depth());
  if (mode_ == Mode::running) {
    record<P>(log_, {.group = group.group, .place = cluster->value, .kind = EventKind::allocate});
  }
  return static_cast<int32_t>(cluster->value);
}

/// Waits for a free cluster. While a deadlock is counted there are as many as it takes. Nothing:
/// the run is given up, or has been counted as far as that can be done.
template <executors::ExecutionPolicy P, template <class> class F>
std::optional<ClusterId> Orchestrator<P, F>::take_cluster() {
  ClusterId cluster;
  if (mode_ == Mode::running) {
    switch (submitter_.allocate_cluster(scopes_.innermost_ring(), cluster)) {
      case Reserved::fits:
        return cluster;
      case Reserved::deadlocked:
        begin_counting();
        break;
      case Reserved::given_up:
        stop();
        return std::nullopt;
    }
  }
  cluster = groups_.lowest_closed();
  if (cluster.value > max_counted_cluster) {
    finish_counting(false);
    return std::nullopt;
  }
  return cluster;
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::free_cluster(int32_t cluster) {
  if (!groups_.is_open(cluster)) {
    return fail(intake_.refuse_cluster("free_cluster", cluster, submitter_.submitted()));
  }
  const ClusterId id(static_cast<uint32_t>(cluster));
  close_group({groups_.free(id), id, 0});
}

/// The books of the group are closed already.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::close_group(const OpenGroup& group) {
  if (mode_ != Mode::running) return;
  record<P>(log_, {.group = group.group, .place = group.cluster.value, .kind = EventKind::close});
  if (state_.clusters.close(group.cluster)) {
    record<P>(log_, EventKind::give_back, no_task, group.cluster.value);
  }
}

/// What kernels have left in pipes; after a deadlock none has run to its end for certain.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::report(const std::vector<PipeLeftover>& leftovers) {
  if (mode_ == Mode::counting) return;
  for (const PipeLeftover& left : leftovers) {
    if (log_.enabled()) {
      PipeUse use{};
      use.group = left.group;
      use.tag = left.tag;
      use.after = {static_cast<int64_t>(left.waiting), static_cast<int64_t>(left.held)};
      log_.record({.t = P::now(), .kind = EventKind::leftover}, use);
    }
    if (log_sink) log_sink(PTO2_LOG_WARN, leftover_text(left).c_str());
  }
}

}  // namespace pto2
