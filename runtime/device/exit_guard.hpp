/// What becomes of exit(), quick_exit() and pthread_exit() in the middle of a run: code of the
/// user's that calls them would end the process with its own status, half of the graph done and
/// nothing said. Nobody in the process hears of _exit().
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "runtime/device/crash_guard.hpp"

namespace pto2 {

/// While it lives, a call of exit() or quick_exit() on a thread that `who` knows ends the process
/// with the exit code of a runtime fault, after a message on stderr. Any number may live at the
/// same time; the last one that was made is asked first. A process that is forked meanwhile, by
/// code of the user's perhaps, may end as it likes.
class ExitGuard {
 public:
  /// Called on the thread that called exit() or quick_exit(), it says what that thread runs; empty:
  /// it is none of the guard's. It may read what that thread alone writes, and must not wait.
  using Who = std::function<std::string()>;

  explicit ExitGuard(Who who);
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

  /// From now on what this process says is left in `text`, too, as `exited`; null: no more.
  static void leave_text_in(CrashText* text);

 private:
  static void at_exit(void* guard);
  static void at_quick_exit();

  /// Empty: none that it knows, or a thread of another process.
  [[nodiscard]] std::string who_called() const;

  const Who who_;
  const pid_t process_;        ///< whose run it guards
  ExitGuard* next_ = nullptr;  ///< was made before
};

}  // namespace pto2
