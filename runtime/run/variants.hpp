/// The variants that the concurrent half of the runtime is instantiated for: each policy with each
/// fan-out.
#pragma once

#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "runtime/executors/hardware.hpp"
#include "runtime/executors/seeded.hpp"

/// Explicit instantiation, for example PTO2_FOR_EACH_VARIANT(template class Scheduler).
#define PTO2_FOR_EACH_VARIANT(what)      \
  what<executors::Hardware, TaskWord>;   \
  what<executors::Hardware, FanOutLock>; \
  what<executors::Seeded, TaskWord>;     \
  what<executors::Seeded, FanOutLock>;
