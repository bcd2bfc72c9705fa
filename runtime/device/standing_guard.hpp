/// For many short runs in a row: what each of them would set up against crashes and for deadlines,
/// and take down again, stands while this lives. Of a simulation of a few tasks that is a third of
/// the time, or most of it where calls of the system are dear.
#pragma once

#include <string>

#include "runtime/device/crash_guard.hpp"
#include "runtime/executors/shared_ticker.hpp"
#include "runtime/executors/signal_stack.hpp"

namespace pto2 {

/// On the OS thread that runs them. It knows of no code itself: a crash between two runs has its
/// usual effect. Throws std::system_error if the system refuses an OS thread.
class StandingGuard {
 private:
  executors::SignalStack stack_;
  executors::SharedTicker watch_{[] {}};
  CrashGuard handlers_{[] { return std::string(); }};
};

}  // namespace pto2
