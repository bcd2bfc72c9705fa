/// The variants that the concurrent half of the runtime is instantiated for: each policy with each
/// fan-out.
#pragma once

#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "runtime/platform/hardware.hpp"
#include "runtime/platform/seeded.hpp"

/// Explicit instantiation, for example PTO2_FOR_EACH_VARIANT(template class Scheduler).
#define PTO2_FOR_EACH_VARIANT(what)     \
  what<platform::Hardware, TaskWord>;   \
  what<platform::Hardware, FanOutLock>; \
  what<platform::Seeded, TaskWord>;     \
  what<platform::Seeded, FanOutLock>;
