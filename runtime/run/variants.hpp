/// The variants that the concurrent half of the runtime is instantiated for wherever tasks run: the
/// policies on the task word. Those that few programs need are instantiated by libraries of their
/// own: the weak policy in runtime/device/weak_device.cpp, the fan-out lock in lock_device.cpp
/// there.
#pragma once

#include "core/task_word.hpp"
#include "runtime/executors/hardware.hpp"
#include "runtime/executors/seeded.hpp"

/// Explicit instantiation, for example PTO2_FOR_EACH_VARIANT(template class Scheduler).
#define PTO2_FOR_EACH_VARIANT(what)    \
  what<executors::Hardware, TaskWord>; \
  what<executors::Seeded, TaskWord>;
