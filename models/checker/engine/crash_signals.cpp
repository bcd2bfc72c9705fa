#include "models/checker/engine/crash_signals.hpp"

#include <array>
#include <cstddef>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/process_wide.hpp"

namespace pto2::model::engine {

namespace {

constexpr std::size_t handler_stack_bytes = 64 * 1024;
constexpr std::array crash_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

ProcessWide crash_handlers;
std::array<struct sigaction, NSIG> former_actions;

/// To whoever handled the signal before. By default it ends the process: when the instruction that
/// caused it is run again, or when it is raised again.
void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& former = former_actions[static_cast<std::size_t>(signal)];
  const bool caused = info->si_code > 0;  // by an instruction, not sent by somebody
  if ((former.sa_flags & SA_SIGINFO) != 0) {
    former.sa_sigaction(signal, info, context);
  } else if (former.sa_handler == SIG_DFL || (former.sa_handler == SIG_IGN && caused)) {
    sigaction(signal, &former, nullptr);
    if (!caused) raise(signal);
  } else if (former.sa_handler != SIG_IGN) {
    former.sa_handler(signal);
  }
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Crash crash{Crash::Cause::signal, signal};
  // The system names no address where there cannot be memory.
  crash.has_address = (signal == SIGSEGV || signal == SIGBUS) &&
                      (info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR);
  crash.address = info->si_addr;
  Execution::crashed(crash);
  pass_on(signal, info, context);
}

void install_handlers() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  // The handler may leave for good by switching stacks, so the signals must stay deliverable.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : crash_signals) {
    sigaction(signal, &action, &former_actions[static_cast<std::size_t>(signal)]);
  }
}

void remove_handlers() {
  for (const int signal : crash_signals) {
    sigaction(signal, &former_actions[static_cast<std::size_t>(signal)], nullptr);
  }
}

}  // namespace

CrashSignals::CrashSignals() : stack_(std::make_unique<char[]>(handler_stack_bytes)) {
  stack_t stack = {};
  stack.ss_sp = stack_.get();
  stack.ss_size = handler_stack_bytes;
  sigaltstack(&stack, &former_stack_);
  crash_handlers.acquire(install_handlers);
}

CrashSignals::~CrashSignals() {
  crash_handlers.release(remove_handlers);
  sigaltstack(&former_stack_, nullptr);
}

}  // namespace pto2::model::engine
