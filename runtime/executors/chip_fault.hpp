/// How the chip fails in a simulation: one of its cores or schedulers, at one of its tasks.
#pragma once

#include <cstdint>
#include <string>

namespace pto2::executors {

/// How far a task has come, as the thread that runs the step sees it.
enum class ChipStep : uint8_t {
  dispatch,  ///< a scheduler is about to hand it to a core
  take,      ///< a core has seen it, and is about to acknowledge it
  kernel,    ///< it is acknowledged, and its kernel is about to begin
  finish,    ///< its kernel has returned, and its end is about to be reported
  answered,  ///< its end is reported
};

enum class ChipFaultKind : uint8_t {
  none,
  slow_core,        ///< takes long at each step, from the task on
  lost_before_ack,  ///< a core: no step of it follows that anyone sees
  lost_after_ack,
  lost_before_fin,
  answers_twice,   ///< a core reports the end of the task once more
  slow_scheduler,  ///< as slow_core
};

struct ChipFault {
  ChipFaultKind kind = ChipFaultKind::none;
  std::string thread = {};  ///< the core or scheduler
  uint64_t task = 1;  ///< at which of its tasks, from 1 on; one that never comes: nothing fails
};

[[nodiscard]] constexpr bool loses_core(ChipFaultKind kind) {
  return kind >= ChipFaultKind::lost_before_ack && kind <= ChipFaultKind::lost_before_fin;
}

/// Where a fault strikes. `none` strikes nowhere: no thread has its name.
[[nodiscard]] constexpr ChipStep step_of(ChipFaultKind kind) {
  switch (kind) {
    case ChipFaultKind::slow_scheduler:
      return ChipStep::dispatch;
    case ChipFaultKind::lost_after_ack:
      return ChipStep::kernel;
    case ChipFaultKind::lost_before_fin:
      return ChipStep::finish;
    case ChipFaultKind::answers_twice:
      return ChipStep::answered;
    default:
      return ChipStep::take;
  }
}

}  // namespace pto2::executors
