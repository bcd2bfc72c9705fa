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

  /// The orchestration runs on it.
  [[nodiscard]] CallingCode& code() { return code_; }
  [[nodiscard]] const CallingCode& code() const { return code_; }
  /// Null before the run, and after its end.
  [[nodiscard]] OrchestrationRuntime* target() const { return target_; }

  /// At the begin of the function called `name`. False: the orchestration must not be in it, which
  /// is noted.
  [[nodiscard]] bool enter(const char* name) {
    if (code_.enter()) [[likely]]
      return true;
    refuse(name);
    return false;
  }
  /// At the end of a function that was entered.
  struct Leaving {
    void operator()(RuntimeHandle* handle) const { handle->code_.leave(); }
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
  void refuse(const char* name);

  CallingCode code_;
  OrchestrationRuntime* target_ = nullptr;
  Machine::atomic<const char*> misplaced_{nullptr};
  Machine::atomic<bool> is_taken_{false};
  RuntimeHandle* next_ = nullptr;  ///< of those that were made
};

}  // namespace executors
}  // namespace pto2
