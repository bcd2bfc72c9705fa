/// Work in a process of its own, so that whatever ends it can be told.
#pragma once

#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "runtime/output/exit_codes.hpp"

namespace pto2::stress {

/// SIGINT and SIGTERM, unless they are ignored, for a process of one thread that forks others: they
/// are blocked while this lives, and seen when it is asked. In what it forks they have their usual
/// effect.
class PendingSignals {
 public:
  PendingSignals();
  ~PendingSignals();
  PendingSignals(const PendingSignals&) = delete;
  PendingSignals& operator=(const PendingSignals&) = delete;

  /// Whether one has come, now or before. Says so on stderr when it sees the first.
  bool look();
  /// How the process is to end: nothing as long as none was seen.
  [[nodiscard]] std::optional<cli::ExitCode> exit_code() const;
  /// In a forked process.
  void unblock() const;

 private:
  sigset_t signals_{};
  sigset_t former_{};
  int seen_ = 0;
};

/// How an isolated process ended.
struct Ended {
  bool completed = false;  ///< it did its work and returned
  bool stopped = false;    ///< it was killed since a signal came, or its time was up
  bool refused = false;    ///< the work threw what is no fault of its own: bad input (CliError,
                           ///< LoadError), or too little of the machine (bad_alloc, system_error)
  std::string result;      ///< what the work returned; if it was refused, why
  std::string how;         ///< unless it completed: "SIGABRT", "exit code 3", ..; and why, if it
                           ///< was idle for too long
  std::string errors;      ///< the last of what it wrote to stderr
};

/// How long an isolated process is waited for.
struct Patience {
  std::chrono::nanoseconds time;  ///< in all
  /// Without any use of a processor. It is that of a process that is stopped (SIGSTOP): in one that
  /// waits for what never comes, a HangGuard still looks at its clock, and says more.
  std::chrono::nanoseconds idle;
};

/// What is no fault of the work (`refused`), in words; nothing of other errors.
[[nodiscard]] std::optional<std::string> refusal_in(const std::exception& error);

/// Forks a process that calls `work` and ends, and waits for it; calls `watch` a few times a
/// second. The process is killed when a signal comes, when the patience is at its end, and when
/// this one ends. Its stderr is caught. Throws std::system_error if there can be no process, or
/// nobody knows how it ended. The caller must have one thread.
Ended run_isolated(const std::function<std::string()>& work, const std::function<void()>& watch,
                   const Patience& patience, PendingSignals& signals);

}  // namespace pto2::stress
