#include "runtime/cli/isolation.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/device/crash_guard.hpp"
#include "runtime/device/exit_guard.hpp"
#include "runtime/output/chosen_end.hpp"
#include "runtime/output/ends_of_forks.hpp"
#include "runtime/output/shared_with_forks.hpp"

namespace pto2::cli {
namespace {

/// SIGINT and SIGTERM, which a child handles for its parent. Blocked while this lives; with
/// SIGCHLD, to be waited for.
class ChildsSignals {
 public:
  ChildsSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&signals_, signal);
    sigprocmask(SIG_BLOCK, &signals_, &former_);
  }
  ~ChildsSignals() { unblock(); }
  ChildsSignals(const ChildsSignals&) = delete;
  ChildsSignals& operator=(const ChildsSignals&) = delete;

  void unblock() const { sigprocmask(SIG_SETMASK, &former_, nullptr); }
  /// Waits for the child's end, and passes on what comes meanwhile. To a child that a terminal has
  /// told itself it is one signal (Interruption::same).
  [[nodiscard]] int wait_for(pid_t child) const {
    for (;;) {
      if (const std::optional<int> status = status_if_ended(child)) return *status;
      const int signal = sigwaitinfo(&signals_, nullptr);
      if (signal == SIGINT || signal == SIGTERM) kill(child, signal);
    }
  }

 private:
  sigset_t signals_{};
  sigset_t former_{};
};

/// What a child leaves to its parent.
struct LastWord {
  CrashText fault;
  std::atomic<int> choice{nothing_chosen};
};

/// What to do about a process that a signal has ended.
const char* hint_of(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
      return "this is a bug of pto2: report it with the command line";
    case SIGKILL:
      return "see whether the system was out of memory, or who sent it";
    case SIGXCPU:
    case SIGXFSZ:
      return "see the limits of this process (ulimit -a)";
    case SIGPIPE:
      return "see whether who reads what the run writes has ended";
    default:
      return "see who sent it";
  }
}

RunError error_of_signal(int signal) {
  const char* const name = sigabbrev_np(signal);
  return {
      ErrorCode::crashed,
      fmt::format("SIG{} ended the process of the run, and no kernel or orchestration was known "
                  "to be at fault",
                  name == nullptr ? std::to_string(signal) : name),
      hint_of(signal)};
}

RunError error_of_exit(int code) {
  return {ErrorCode::exited,
          fmt::format("the process of the run ended with exit code {} before the run had ended, by "
                      "_exit() or quick_exit() perhaps",
                      code),
          row_of(ErrorCode::exited).hint};
}

/// The status alone would pass for a result when code of the user's has ended the process.
IsolatedEnd end_of(int status, const LastWord& word) {
  IsolatedEnd end;
  const ErrorCode fault = word.fault.code.load(std::memory_order_acquire);
  const int choice = word.choice.load(std::memory_order_acquire);
  if (fault != ErrorCode::ok) {
    end.error = {fault, word.fault.text, row_of(fault).hint};
    end.is_told = true;
  } else if (WIFSIGNALED(status)) {
    end.error = error_of_signal(WTERMSIG(status));
  } else if (choice == nothing_chosen) {
    end.error = error_of_exit(WEXITSTATUS(status));
  } else {
    // A sanitizer that finds leaks as the process ends replaces the code.
    const int status_code = WEXITSTATUS(status);
    end.code = static_cast<ExitCode>(status_code != 0 ? status_code : choice);
  }
  return end;
}

}  // namespace

std::optional<IsolatedEnd> isolate() {
  SharedWithForks<LastWord> word;
  const ChildsSignals signals;
  const KeptEnds kept_ends;  // not of what the run forks: its process leaves this function, too
  std::fflush(nullptr);      // or the child writes it, too
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    signals.unblock();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(exit_terminated);
    static const SharedWithForks<LastWord> kept = std::move(word);  // for a handler
    CrashGuard::leave_text_in(&kept->fault);
    ExitGuard::leave_text_in(&kept->fault);
    leave_choice_in(&kept->choice);
    return std::nullopt;
  }
  return end_of(signals.wait_for(child), *word);
}

}  // namespace pto2::cli
