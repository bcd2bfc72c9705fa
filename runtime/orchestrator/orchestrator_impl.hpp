/// The definitions behind orchestrator.hpp.
#pragma once

#include "runtime/orchestrator/orchestrator.hpp"

#include <fmt/core.h>

#include <cstdio>

#include "runtime/orchestrator/orchestration_ops.hpp"

namespace pto2 {

/// Slots whose lines are on their way while scope_end() drops references.
constexpr std::size_t drops_ahead = 8;

template <executors::ExecutionPolicy P, template <class> class F>
Orchestrator<P, F>::Orchestrator(State& state, OrchestratorInput input)
    : state_(state),
      input_(std::move(input)),
      dataflow_(state.config, state.admission.alive(), input_.first_generation),
      submitter_(state, dataflow_, input_.log, log_, counts_),
      counting_(state.config.rings, P::ticks_per_second / 2),
      groups_(state.config.chip.blocks) {}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::run() {
  start_up();
  run_orchestration();
  finish();
  record<P>(log_, EventKind::exit, no_task);
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::start_up() {
  auto& startup = state_.startup;
  startup.sm_header_ready.set();
  state_.ring_schedulers();
  P::await([&] { return startup.init_complete.is_set(); });
  startup.orch_pointers_ready.set();
  state_.ring_schedulers();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::run_orchestration() {
  OrchestrationHandle<Orchestrator> handle(*this);
  scope_begin();
  try {
    input_.entry(&handle);
  } catch (const std::exception& e) {
    fail({ErrorCode::orchestration_threw,
          fmt::format("an exception left the orchestration: {}", e.what()),
          "catch it in aicpu_orchestration_entry"});
  } catch (...) {
    fail({ErrorCode::orchestration_threw, "an exception of unknown type left the orchestration",
          "catch it in aicpu_orchestration_entry"});
  }
  while (!scopes_.empty()) scope_end();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::finish() {
  auto& startup = state_.startup;
  startup.orchestrator_done.set();
  if (mode_ == Mode::counting) finish_counting();
  record<P>(log_, EventKind::wait, no_task);
  bool given_up = false;
  P::await([&] {
    given_up = state_.fatal.is_set();
    return given_up || submitter_.quiescent();
  });
  if (given_up) [[unlikely]] {
    adopt_fault();
  } else {
    dataflow_.pipes().end_all(leftovers_);
    report_leftovers();
  }
  startup.shutdown.set();
  state_.ring_schedulers();
  for (uint32_t r = 0; r < state_.config.rings; ++r) {
    const uint64_t tasks = state_.admission.ring(r).tasks.next();
    counts_.slots_recycled += tasks > state_.config.window ? tasks - state_.config.window : 0;
  }
}

/// Who ran a kernel may have given the run up, for its fault. That came first then, whatever
/// the orchestrator has met since.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::adopt_fault() {
  const auto code = static_cast<ErrorCode>(state_.fatal.code());
  if (!is_kernel_fault(code)) return;
  const FatalDetails details = state_.fatal.details();
  error_ = code == ErrorCode::not_a_pipe ? describe_argument_fault(details.argument)
                                         : describe_pipe_fault(details.pipe);
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::fail(RunError error) {
  if (mode_ == Mode::counting) finish_counting();  // the deadlock remains what the user is told
  mode_ = Mode::stopped;
  if (error_.code != ErrorCode::ok) return;
  error_ = std::move(error);
  state_.fatal.latch(static_cast<int32_t>(error_.code), {submitter_.submitted()});
  state_.ring_schedulers();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::begin_counting(const Deadlock& deadlock) {
  const ErrorCode code = deadlock_code(deadlock.resource);
  state_.fatal.latch(static_cast<int32_t>(code), {submitter_.submitted()});
  state_.ring_schedulers();
  error_.code = code;
  mode_ = Mode::counting;
  Counting::PerRing next{};
  for (uint32_t r = 0; r < state_.config.rings; ++r) {
    next[r] = state_.admission.ring(r).tasks.next();
  }
  counting_.begin(deadlock, next, state_.admission.alive(), P::now());
}

/// The orchestration has returned, or goes on for too long: says what was learnt.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::finish_counting() {
  error_ = counting_.finish(scopes_.empty(), groups_, state_.config);
  mode_ = Mode::stopped;
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::scope_begin() {
  dataflow_.scope_begin(submitter_.submitted() + 1);
  counting_.scope_begin();
  scopes_.push_back(scope_tasks_.size());
  if (submitter_.task_trace().enabled() && mode_ == Mode::running) [[unlikely]] {
    record<P>(log_, {.scope = submitter_.task_trace().scope_begin(),
                     .place = static_cast<uint32_t>(scopes_.size()) - 1,
                     .kind = EventKind::scope_begin});
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::scope_end() {
  if (scopes_.empty()) {
    fail({ErrorCode::bad_submission, "scope_end() without a scope", "use PTO2_SCOPE"});
    return;
  }
  if (submitter_.task_trace().enabled() && mode_ == Mode::running) [[unlikely]] {
    record<P>(log_, {.scope = submitter_.task_trace().scope_end(),
                     .place = static_cast<uint32_t>(scopes_.size()) - 1,
                     .kind = EventKind::scope_end});
  }
  const std::size_t first_task = scopes_.back();
  if (!groups_.open_groups().empty()) [[unlikely]] {
    while (const auto group = groups_.close_with_scope(depth())) close_group(*group);
  }
  scopes_.pop_back();
  dataflow_.scope_end();
  counting_.scope_end();
  if (mode_ == Mode::running) drop_scope(first_task);
  scope_tasks_.resize(first_task);
}

/// The scope lets go of its tasks, from this one on.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::drop_scope(std::size_t first_task) {
  uint32_t rings = 0;
  for (std::size_t i = first_task; i < scope_tasks_.size(); ++i) {
    const TaskId id = scope_tasks_[i];
    // The words are in the schedulers' caches: fetch the next ones while this one is dropped.
    if (i + drops_ahead < scope_tasks_.size()) prefetch_slot(scope_tasks_[i + drops_ahead]);
    if (!state_.life.drop_scope(id)) continue;
    record<P>(log_, EventKind::consume, id);
    rings |= 1u << ring_of(id);
  }
  state_.advance(rings, log_, counts_.cas_retries);
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::submit_task(int32_t kernel_id, int32_t worker_type, const PTOParam* params,
                                     uint32_t count) {
  if (mode_ == Mode::stopped) return;
  Submission& task = submission_;
  task.params = {params, count};
  if (!check(task, kernel_id, worker_type)) return;
  if (mode_ == Mode::running) {
    submitter_.observe();
    submitter_.prefetch_arguments(task);
  } else {
    counting_.observe(task.ring, dataflow_.map());
  }
  dataflow_.find_producers(task);
  dataflow_.find_owners(task);
  if (mode_ == Mode::running && reserve(task)) {
    counting_.submit(task);
    scope_tasks_.push_back(submitter_.commit(task, input_.kernels[task.kernel_id]));
  } else if (mode_ == Mode::counting) {
    if (!counting_.count_only(task, dataflow_, P::now())) finish_counting();
  }
}

/// Fails the run for what is wrong with the next submission. False.
template <executors::ExecutionPolicy P, template <class> class F>
bool Orchestrator<P, F>::refuse(const std::string& problem, const char* hint) {
  fail({ErrorCode::bad_submission,
        fmt::format("submission {}: {}", submitter_.submitted(), problem), hint});
  return false;
}

/// For parameters that are too many, fewer than none, or nowhere. False.
template <executors::ExecutionPolicy P, template <class> class F>
bool Orchestrator<P, F>::refuse_params(const PTOParam* params, uint32_t count, uint32_t most,
                                       const char* beside) {
  const auto number = static_cast<int32_t>(count);
  if (params == nullptr || number < 0) {
    return refuse(fmt::format("{} parameters in {}", number,
                              params == nullptr ? "no array (its address is null)" : "an array"),
                  "pass an array of PTOParam and the number of its elements");
  }
  return refuse(fmt::format("{} parameters, at most {} are supported{}", number, most, beside),
                "pass several values through one tensor");
}

/// For a worker type that is neither cube nor vector: refuses one that nobody runs, and tells the
/// schedulers once that such tasks come.
template <executors::ExecutionPolicy P, template <class> class F>
bool Orchestrator<P, F>::expect_rare(int32_t worker_type) {
  if (static_cast<uint32_t>(worker_type) >= core_types) {
    return refuse(fmt::format("{} is no worker type", worker_type),
                  "use PTO2_WORKER_CUBE, PTO2_WORKER_VECTOR, PTO2_WORKER_AI_CPU or "
                  "PTO2_WORKER_ACCELERATOR");
  }
  if (submission_.cluster != any_cluster) {
    return refuse(
        "a pinned task for something else than a cube or a vector core, but a cluster has "
        "no others",
        "submit it with cluster -1, or for PTO2_WORKER_CUBE or PTO2_WORKER_VECTOR");
  }
  if (!state_.config.chip.runs(static_cast<CoreType>(worker_type))) {
    return refuse("a task for an accelerator, but the chip has none",
                  "use --accelerators 1 or more, or a chip file with `accelerators`");
  }
  if (!rare_types_expected_) state_.expect_rare_types();
  rare_types_expected_ = true;
  return true;
}

template <executors::ExecutionPolicy P, template <class> class F>
bool Orchestrator<P, F>::check(Submission& task, int32_t kernel_id, int32_t worker_type) {
  const auto known = static_cast<uint32_t>(input_.kernels.size());
  if (static_cast<uint32_t>(kernel_id) >= known || input_.kernels[kernel_id] == nullptr) {
    return refuse(fmt::format("there is no kernel {}", kernel_id),
                  "add it to the kernels folder as ID_NAME.so");
  }
  if (static_cast<uint32_t>(worker_type) >= block_core_types && !expect_rare(worker_type))
      [[unlikely]] {
    return false;
  }
  const std::size_t count = task.params.size();
  if (count > max_params || (count != 0 && task.params.data() == nullptr)) [[unlikely]] {
    return refuse_params(task.params.data(), static_cast<uint32_t>(count), max_params);
  }
  if (scopes_.empty() || done_) {
    return refuse("the orchestration is done", "submit before pto2_rt_orchestration_done");
  }
  task.serial = submitter_.submitted() + 1;
  task.counted = mode_ == Mode::counting;
  task.kernel_id = static_cast<uint32_t>(kernel_id);
  task.type = static_cast<CoreType>(worker_type);
  task.depth = depth();
  task.ring = std::min(task.depth, state_.config.rings - 1);
  if (dataflow_.check(task, refusal_)) return true;
  fail(std::move(refusal_));
  return false;
}

/// Waits until nothing is lacking. False: the run is given up, because of a deadlock, which is
/// counted from here on, or of something else.
template <executors::ExecutionPolicy P, template <class> class F>
bool Orchestrator<P, F>::reserve(Submission& task) {
  submitter_.prefetch(task);
  const Reserved reserved = submitter_.reserve(task);
  if (reserved == Reserved::fits) [[likely]]
    return true;
  if (reserved == Reserved::deadlocked) {
    begin_counting(task);
  } else {
    mode_ = Mode::stopped;
  }
  return false;
}

/// Apart from reserve(), which every submission passes.
template <executors::ExecutionPolicy P, template <class> class F>
[[gnu::noinline]] void Orchestrator<P, F>::begin_counting(const Submission& task) {
  begin_counting(submitter_.deadlock(task));
}

template <executors::ExecutionPolicy P, template <class> class F>
uint64_t Orchestrator<P, F>::handle_of(const TensorResult& result, const char* call) {
  if (!result.ok()) fail({ErrorCode::bad_submission, result.error, call});
  return result.handle;
}

template <executors::ExecutionPolicy P, template <class> class F>
uint64_t Orchestrator<P, F>::make_tensor(uint64_t address, const uint64_t* shapes, uint32_t ndims,
                                         DataType dtype) {
  if (mode_ == Mode::stopped) return 0;
  return handle_of(dataflow_.tensors().make(address, shapes, ndims, dtype),
                   "check the call of make_tensor");
}

template <executors::ExecutionPolicy P, template <class> class F>
uint64_t Orchestrator<P, F>::view(uint64_t tensor, const uint64_t* shapes,
                                  const uint64_t* offsets) {
  if (mode_ == Mode::stopped) return 0;
  return handle_of(dataflow_.tensors().view(tensor, shapes, offsets), "check the call of view");
}

template <executors::ExecutionPolicy P, template <class> class F>
uint64_t Orchestrator<P, F>::reshape(uint64_t tensor, const uint64_t* shapes, uint32_t ndims) {
  if (mode_ == Mode::stopped) return 0;
  return handle_of(dataflow_.tensors().reshape(tensor, shapes, ndims), "check the call of reshape");
}

template <executors::ExecutionPolicy P, template <class> class F>
uint64_t Orchestrator<P, F>::transpose(uint64_t tensor, uint32_t x, uint32_t y) {
  if (mode_ == Mode::stopped) return 0;
  return handle_of(dataflow_.tensors().transpose(tensor, x, y), "check the call of transpose");
}

template <executors::ExecutionPolicy P, template <class> class F>
const TensorRecord* Orchestrator<P, F>::find_tensor(uint64_t tensor, const char* use) {
  if (mode_ == Mode::stopped) return nullptr;
  const TensorRecord* record = dataflow_.tensors().find(tensor);
  if (record == nullptr) {
    fail({ErrorCode::bad_submission,
          fmt::format("{}: {}", use, dataflow_.tensors().describe(tensor)),
          "use a tensor only inside the scope that made it"});
  }
  return record;
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::dump(uint64_t tensor) {
  if (mode_ == Mode::stopped || !input_.log) return;
  input_.log(PTO2_LOG_INFO, dataflow_.tensors().describe(tensor).c_str());
}

template <executors::ExecutionPolicy P, template <class> class F>
uint64_t Orchestrator<P, F>::describe(uint64_t tensor, char* text, uint64_t capacity) {
  const std::string line =
      mode_ == Mode::stopped ? std::string() : dataflow_.tensors().describe(tensor);
  if (capacity != 0) text[line.copy(text, capacity - 1)] = 0;
  return line.size();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::log_line(int32_t level, const char* format, va_list arguments) {
  if (!input_.log) return;
  char line[1024];
  std::vsnprintf(line, sizeof line, format, arguments);
  input_.log(level, line);
}

}  // namespace pto2
