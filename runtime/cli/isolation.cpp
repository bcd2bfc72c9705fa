#include "runtime/cli/isolation.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/device/crash_guard.hpp"
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
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      const int signal = sigwaitinfo(&signals_, nullptr);
      if (signal == SIGINT || signal == SIGTERM) kill(child, signal);
    }
    return status;
  }

 private:
  sigset_t signals_{};
  sigset_t former_{};
};

RunError error_of(int status, const CrashText& crash) {
  const ErrorCode code = crash.code.load(std::memory_order_acquire);
  if (code != ErrorCode::ok) return {code, crash.text, row_of(code).hint};
  if (!WIFSIGNALED(status)) return {};
  const int signal = WTERMSIG(status);
  const char* const name = sigabbrev_np(signal);
  return {
      ErrorCode::crashed,
      fmt::format("SIG{} ended the process of the run, and no kernel or orchestration was known "
                  "to be at fault",
                  name == nullptr ? std::to_string(signal) : name),
      signal == SIGKILL ? "see whether the system was out of memory, or who sent it"
                        : "this is a bug of pto2: report it with the command line"};
}

}  // namespace

std::optional<IsolatedEnd> isolate() {
  SharedWithForks<CrashText> crash;
  const ChildsSignals signals;
  std::fflush(nullptr);  // or the child writes it, too
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    signals.unblock();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(exit_terminated);
    static const SharedWithForks<CrashText> kept = std::move(crash);  // for a handler
    CrashGuard::leave_text_in(kept.get());
    return std::nullopt;
  }
  const int status = signals.wait_for(child);
  IsolatedEnd end;
  end.error = error_of(status, *crash);
  if (WIFEXITED(status)) end.code = static_cast<ExitCode>(WEXITSTATUS(status));
  return end;
}

}  // namespace pto2::cli
