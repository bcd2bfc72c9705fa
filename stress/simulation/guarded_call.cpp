#include "stress/simulation/guarded_call.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "runtime/device/crash_guard.hpp"
#include "runtime/device/exit_guard.hpp"
#include "runtime/executors/kernel_watch.hpp"
#include "runtime/executors/shared_ticker.hpp"
#include "runtime/executors/signal_stack.hpp"
#include "runtime/executors/user_code.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/stderr_text.hpp"
#include "stress/simulation/memory_reserve.hpp"

namespace pto2::simulations {
namespace {

/// In the handler of an exception that has left the code of `who`.
RunError error_of_thrown(const char* who) {
  const std::string hint = fmt::format("catch it in {}", who);
  try {
    throw;
  } catch (const std::exception& exception) {
    return {ErrorCode::orchestration_threw,
            fmt::format("an exception left {}: {}", who, exception.what()), hint};
  } catch (...) {
    return {ErrorCode::orchestration_threw,
            fmt::format("an exception of unknown type left {}", who), hint};
  }
}

}  // namespace

void end_with(const RunError& error) {
  cli::print_to_stderr("FATAL: {}\n{}\n", error.message, error.hint);
  CrashGuard::say_more();
  std::fflush(nullptr);
  _exit(cli::exit_runtime_fault);
}

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
  try {
    code.call([&] {
      const executors::OurCode held;
      body();
    });
  } catch (const abi::__forced_unwind&) {
    std::exit(EXIT_FAILURE);  // as call_kernel() does
  } catch (const LoadError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    MemoryReserve::check();
    end_with(error_of_thrown(who));
  }
}

}  // namespace pto2::simulations
