/// What the PTO2Runtime* of an orchestration points to.
///
/// The orchestration may keep it where other threads find it, and for longer than its run. So a
/// handle is never given back: a call on another thread than the orchestration's, or before the
/// run, is noted, and does nothing else; one after the end of the run ends the process with a
/// message. Handles are used again, the one that ended longest ago first; those that were made
/// because runs had all others, when that happens again.
#pragma once

#include <memory>

#include "runtime/executors/user_code.hpp"
#include "runtime/include/pto_orchestration_api.h"

namespace pto2 {

struct OrchestrationRuntime;  // what serves the calls: runtime/orchestrator/orchestration_ops.hpp

namespace executors {

/// What a run is to the functions that serve it. Each kind has a table of its own, which serves no
/// other: whoever has kept one from another run calls through that of this run all the same.
enum class RunKind : uint8_t { plain, recorded, replayed };

class RuntimeHandle : public PTO2Runtime {
 public:
  constexpr RuntimeHandle() : PTO2Runtime{nullptr} {}
  RuntimeHandle(const RuntimeHandle&) = delete;
  RuntimeHandle& operator=(const RuntimeHandle&) = delete;

  struct Ending {
    void operator()(RuntimeHandle* handle) const { handle->end(); }
  };
  /// Ends with its owner, who is gone when the run is over.
  using Owner = std::unique_ptr<RuntimeHandle, Ending>;
  /// One that no run has, for calls that `target` serves through `table`. Throws std::bad_alloc.
  static Owner take(OrchestrationRuntime& target, const PTO2RuntimeOps& table) {
    return take(&target, table);
  }
  /// One for what an image does before there is a run: each call is noted, and does nothing. Throws
  /// std::bad_alloc.
  static Owner take_before_run();

  /// Before the run: it is of this kind, whose functions `table` has.
  void begin(RunKind kind, const PTO2RuntimeOps& table);
  /// By any thread: from the next call on nothing is done, except that a few last lines are logged.
  void stop_calls() { code().shut_out_calls(); }
  [[nodiscard]] bool are_calls_stopped() const { return code().shuts_out_calls(); }
  /// The orchestration runs on it.
  [[nodiscard]] CallingCode& code() { return *code_; }
  [[nodiscard]] const CallingCode& code() const { return *code_; }
  /// Null before the run, and after its end.
  [[nodiscard]] OrchestrationRuntime* target() const { return target_; }

  /// At the begin of a function of runs of this kind. False: the orchestration must not be in it,
  /// or is one of another kind, or its calls are stopped.
  template <RunKind kind>
  [[nodiscard]] bool enter() {
    return code_of<kind>().enter();
  }
  /// If so, of the function called `name`. False: the orchestration must not be in it, which is
  /// noted.
  [[nodiscard]] bool is_from_orchestration(const char* name);
  /// At the end of a function that was entered.
  template <RunKind kind>
  struct LeavingOf {
    void operator()(RuntimeHandle* handle) const { handle->code_of<kind>().leave(); }
  };
  template <RunKind kind>
  using CallOf = std::unique_ptr<RuntimeHandle, LeavingOf<kind>>;
  struct Leaving {
    void operator()(RuntimeHandle* handle) const { handle->code().leave(); }
  };
  using Call = std::unique_ptr<RuntimeHandle, Leaving>;

  /// The function that was called first from elsewhere; null: none was.
  [[nodiscard]] const char* misplaced_call() const {
    return misplaced_.load(std::memory_order_relaxed);
  }

 private:
  static Owner take(OrchestrationRuntime* target, const PTO2RuntimeOps& table);
  static RuntimeHandle* take_ended();
  static RuntimeHandle* take_new();
  /// False: a run has it.
  [[nodiscard]] bool try_take() { return !is_taken_.exchange(true, std::memory_order_acquire); }
  void end();
  template <RunKind kind>
  [[nodiscard]] CallingCode& code_of() {
    if constexpr (kind == RunKind::plain) return plain_;
    if constexpr (kind == RunKind::recorded) return recorded_;
    if constexpr (kind == RunKind::replayed) return replayed_;
  }

  CallingCode plain_;
  OrchestrationRuntime* target_ = nullptr;
  Machine::atomic<const char*> misplaced_{nullptr};
  Machine::atomic<bool> is_taken_{false};
  RuntimeHandle* next_ = nullptr;  ///< of those that were made
  CallingCode* code_ = &plain_;
  CallingCode recorded_;
  CallingCode replayed_;
};

}  // namespace executors
}  // namespace pto2
