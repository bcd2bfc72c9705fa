/// The definitions behind orchestrator.hpp: start-up, scopes, tensors, the end.
#pragma once

#include "runtime/orchestrator/orchestrator.hpp"

#include <fmt/core.h>

#include <cstdio>

#include "runtime/orchestrator/orchestration_ops.hpp"

namespace pto2 {

/// Slots whose lines are on their way while scope_end() drops references.
constexpr std::size_t drops_ahead = 8;

template <class P, template <class> class F>
Orchestrator<P, F>::Orchestrator(State& state, OrchestratorInput input)
    : state_(state),
      input_(std::move(input)),
      tensors_(input_.first_generation),
      map_({.rings = state.config.rings,
            .window = state.config.window,
            .pool_size = state.config.tensormap_pool,
            .num_buckets = state.config.tensormap_buckets}) {
  for (uint32_t r = 0; r < state.config.rings; ++r) {
    notes_[r] = MappedArray<TaskNote>(state.config.window);
  }
}

template <class P, template <class> class F>
void Orchestrator<P, F>::run() {
  start_up();
  run_orchestration();
  finish();
  record<P>(log_, EventKind::exit, no_task);
}

template <class P, template <class> class F>
void Orchestrator<P, F>::start_up() {
  auto& startup = state_.startup;
  startup.sm_header_ready.set();
  state_.ring_schedulers();
  P::await([&] { return startup.init_complete.is_set(); });
  startup.orch_pointers_ready.set();
  state_.ring_schedulers();
}

template <class P, template <class> class F>
void Orchestrator<P, F>::run_orchestration() {
  OrchestrationHandle<Orchestrator> handle(*this);
  scope_begin();
  try {
    input_.entry(&handle);
  } catch (const std::exception& e) {
    fail(ErrorCode::orchestration_threw,
         fmt::format("an exception left the orchestration: {}", e.what()),
         "catch it in aicpu_orchestration_entry");
  } catch (...) {
    fail(ErrorCode::orchestration_threw, "an exception of unknown type left the orchestration",
         "catch it in aicpu_orchestration_entry");
  }
  while (!scopes_.empty()) scope_end();
}

template <class P, template <class> class F>
void Orchestrator<P, F>::finish() {
  auto& startup = state_.startup;
  startup.orchestrator_done.set();
  if (mode_ == Mode::counting) finish_counting();
  record<P>(log_, EventKind::wait, no_task);
  P::await([&] { return state_.fatal.is_set() || state_.stall.quiescent(submitted_); });
  startup.shutdown.set();
  state_.ring_schedulers();
  for (uint32_t r = 0; r < state_.config.rings; ++r) {
    const uint64_t tasks = state_.admission.ring(r).tasks.next();
    counts_.slots_recycled += tasks > state_.config.window ? tasks - state_.config.window : 0;
  }
}

template <class P, template <class> class F>
void Orchestrator<P, F>::fail(ErrorCode code, std::string message, std::string hint) {
  if (mode_ == Mode::counting) finish_counting();  // the deadlock remains what the user is told
  mode_ = Mode::stopped;
  if (error_.code != ErrorCode::ok) return;
  error_ = {code, std::move(message), std::move(hint)};
  state_.fatal.latch(static_cast<int32_t>(code), {submitted_});
  state_.ring_schedulers();
}

template <class P, template <class> class F>
void Orchestrator<P, F>::scope_begin() {
  tensors_.scope_begin();
  requirement_.scope_begin();
  scopes_.push_back({submitted_ + 1, scope_tasks_.size()});
}

template <class P, template <class> class F>
void Orchestrator<P, F>::scope_end() {
  if (scopes_.empty()) {
    fail(ErrorCode::bad_submission, "scope_end() without a scope", "use PTO2_SCOPE");
    return;
  }
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  tensors_.scope_end();
  requirement_.scope_end();
  if (mode_ == Mode::running) {
    uint32_t rings = 0;
    for (std::size_t i = scope.first_task; i < scope_tasks_.size(); ++i) {
      const TaskId id = scope_tasks_[i];
      // The words are in the schedulers' caches: fetch the next ones while this one is dropped.
      if (i + drops_ahead < scope_tasks_.size()) prefetch_slot(scope_tasks_[i + drops_ahead]);
      if (!state_.life.drop_scope(id)) continue;
      record<P>(log_, EventKind::consume, id);
      rings |= 1u << ring_of(id);
    }
    state_.advance(rings, log_, counts_.cas_retries);
  }
  scope_tasks_.resize(scope.first_task);
}

template <class P, template <class> class F>
bool Orchestrator<P, F>::scope_is_open(TaskId id) {
  if (state_.admission.is_reclaimed(id)) return false;
  const TaskNote& task = note(id);
  return task.depth < scopes_.size() && scopes_[task.depth].first_serial <= task.serial;
}

template <class P, template <class> class F>
uint64_t Orchestrator<P, F>::make_tensor(uint64_t address, const uint64_t* shapes, uint32_t ndims,
                                         DataType dtype) {
  if (mode_ == Mode::stopped) return 0;
  const TensorResult result = tensors_.make(address, shapes, ndims, dtype);
  if (!result.ok()) fail(ErrorCode::bad_submission, result.error, "check the call of make_tensor");
  return result.handle;
}

template <class P, template <class> class F>
uint64_t Orchestrator<P, F>::view(uint64_t tensor, const uint64_t* shapes,
                                  const uint64_t* offsets) {
  if (mode_ == Mode::stopped) return 0;
  const TensorResult result = tensors_.view(tensor, shapes, offsets);
  if (!result.ok()) fail(ErrorCode::bad_submission, result.error, "check the call of view");
  return result.handle;
}

template <class P, template <class> class F>
uint64_t Orchestrator<P, F>::reshape(uint64_t tensor, const uint64_t* shapes, uint32_t ndims) {
  if (mode_ == Mode::stopped) return 0;
  const TensorResult result = tensors_.reshape(tensor, shapes, ndims);
  if (!result.ok()) fail(ErrorCode::bad_submission, result.error, "check the call of reshape");
  return result.handle;
}

template <class P, template <class> class F>
uint64_t Orchestrator<P, F>::transpose(uint64_t tensor, uint32_t x, uint32_t y) {
  if (mode_ == Mode::stopped) return 0;
  const TensorResult result = tensors_.transpose(tensor, x, y);
  if (!result.ok()) fail(ErrorCode::bad_submission, result.error, "check the call of transpose");
  return result.handle;
}

template <class P, template <class> class F>
const TensorRecord* Orchestrator<P, F>::find_tensor(uint64_t tensor, const char* use) {
  if (mode_ == Mode::stopped) return nullptr;
  const TensorRecord* record = tensors_.find(tensor);
  if (record == nullptr) {
    fail(ErrorCode::bad_submission, fmt::format("{}: {}", use, tensors_.describe(tensor)),
         "use a tensor only inside the scope that made it");
  }
  return record;
}

template <class P, template <class> class F>
void Orchestrator<P, F>::dump(uint64_t tensor) {
  if (mode_ == Mode::stopped || !input_.log) return;
  input_.log(PTO2_LOG_INFO, tensors_.describe(tensor).c_str());
}

template <class P, template <class> class F>
void Orchestrator<P, F>::log_line(int32_t level, const char* format, va_list arguments) {
  if (!input_.log) return;
  char line[1024];
  std::vsnprintf(line, sizeof line, format, arguments);
  input_.log(level, line);
}

}  // namespace pto2
