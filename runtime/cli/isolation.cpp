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
    sigemptyset(&passed_on_);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&signals_, signal);
    sigprocmask(SIG_BLOCK, &signals_, &former_);
  }
  ~ChildsSignals() { unblock(); }
  ChildsSignals(const ChildsSignals&) = delete;
  ChildsSignals& operator=(const ChildsSignals&) = delete;

  void unblock() const { sigprocmask(SIG_SETMASK, &former_, nullptr); }
  /// Waits for the child's end, and passes on what comes meanwhile. To a child that a terminal has
  /// told itself it is one signal (Interruption::same).
  [[nodiscard]] int wait_for(pid_t child) {
    for (;;) {
      if (const std::optional<int> status = status_if_ended(child)) return *status;
      const int signal = sigwaitinfo(&signals_, nullptr);
      if (signal != SIGINT && signal != SIGTERM) continue;
      sigaddset(&passed_on_, signal);
      kill(child, signal);
    }
  }
  [[nodiscard]] bool has_passed_on(int signal) const {
    return sigismember(&passed_on_, signal) == 1;
  }

 private:
  sigset_t signals_{};
  sigset_t former_{};
  sigset_t passed_on_{};
};

/// What a child leaves to its parent.
struct LastWord {
  CrashText fault;
  std::atomic<int> choice{nothing_chosen};
};

/// Those that code brings upon itself. What the user's does is told by a guard, if it can be.
bool is_of_a_crash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
         signal == SIGTRAP || signal == SIGABRT;
}

/// What to do about a process that another signal has ended.
const char* hint_of(int signal) {
  switch (signal) {
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

std::string signal_name(int signal) {
  const char* const name = sigabbrev_np(signal);
  return fmt::format("SIG{}", name == nullptr ? std::to_string(signal) : name);
}

/// Of a crash that nobody in the process has heard of, though a guard was there for it.
RunError error_of_unheard(int signal) {
  const ErrorCode code = ErrorCode::crashed;
  return {code,
          fmt::format("{} ended the process of the run past its handler: a kernel or the "
                      "orchestration has blocked the signal or taken the handler away, or a thread "
                      "that an image has started has used up its stack",
                      signal_name(signal)),
          row_of(code).hint};
}

RunError error_of_signal(int signal) {
  const std::string message = fmt::format(
      "{} ended the process of the run, and no kernel or orchestration was known to be at fault",
      signal_name(signal));
  if (!is_of_a_crash(signal)) return {ErrorCode::killed, message, hint_of(signal)};
  return {ErrorCode::runtime_crashed, message, row_of(ErrorCode::runtime_crashed).hint};
}

RunError error_of_exit(int code) {
  return {ErrorCode::exited,
          fmt::format("the process of the run ended with exit code {} before the run had ended, by "
                      "_exit() or quick_exit() perhaps",
                      code),
          row_of(ErrorCode::exited).hint};
}

/// The status alone would pass for a result when code of the user's has ended the process; and what
/// a process has chosen that a signal ends then, it has also written: that stands. If it crashed,
/// it has the code that it would have by itself.
IsolatedEnd end_of(int status, const LastWord& word, const ChildsSignals& signals) {
  IsolatedEnd end;
  const ErrorCode fault = word.fault.code.load(std::memory_order_acquire);
  const int choice = word.choice.load(std::memory_order_acquire);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (fault != ErrorCode::ok) {
    end.error = {fault, word.fault.text, row_of(fault).hint};
    end.is_told = true;
  } else if (choice != nothing_chosen && is_of_a_crash(signal)) {
    end.code = static_cast<ExitCode>(128 + signal);
    end.warning = fmt::format(
        "{} ended the process of the run behind its result, in what an image runs as the process "
        "ends perhaps",
        signal_name(signal));
  } else if (choice != nothing_chosen) {
    // A sanitizer that finds leaks as the process ends replaces the code.
    const int status_code = signal != 0 ? 0 : WEXITSTATUS(status);
    end.code = static_cast<ExitCode>(status_code != 0 ? status_code : choice);
  } else if (signal != 0 && signals.has_passed_on(signal)) {
    end.code = signal == SIGINT ? exit_interrupted : exit_terminated;
  } else {
    end.error = error_of_status(status, word.fault);
  }
  return end;
}

}  // namespace

RunError error_of_status(int status, const CrashText& word) {
  if (!WIFSIGNALED(status)) return error_of_exit(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const bool is_unheard = is_of_a_crash(signal) && word.is_unheard(signal);
  return is_unheard ? error_of_unheard(signal) : error_of_signal(signal);
}

std::optional<IsolatedEnd> isolate() {
  SharedWithForks<LastWord> word;
  ChildsSignals signals;
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
  const int status = signals.wait_for(child);
  return end_of(status, *word, signals);
}

}  // namespace pto2::cli
