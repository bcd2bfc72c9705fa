#include "stress/simulation/guarded_call.hpp"

#include <unistd.h>

#include <string>

#include "runtime/device/crash_guard.hpp"
#include "runtime/device/exit_guard.hpp"
#include "runtime/executors/kernel_watch.hpp"
#include "runtime/executors/shared_ticker.hpp"
#include "runtime/executors/signal_stack.hpp"
#include "runtime/executors/user_code.hpp"

namespace pto2::simulations {

void call_guarded(const char* who, uint64_t deadline_ms, const std::function<void()>& body) {
  const pid_t self = gettid();
  const auto name = [=] { return gettid() == self ? std::string(who) : std::string(); };
  const executors::SignalStack stack;
  const ExitGuard at_exit(name);
  const CrashGuard at_crash(name);
  executors::CallingCode code;
  executors::KernelWatch watch(
      {.deadline_ms = deadline_ms,
       .found = [=](const executors::KernelState& thread,
                    bool) { CrashGuard::end_stuck(thread, deadline_ms, true); },
       .mute =
           [=](const executors::KernelState& thread) {
             CrashGuard::end_mute(thread, deadline_ms, who);
           }});
  const executors::SharedTicker ticker([&] {
    const executors::KernelState state = state_of(code, self);
    watch.look({&state, 1});
  });
  code.call([&] {
    const executors::OurCode held;
    body();
  });
}

}  // namespace pto2::simulations
