/// What becomes of a crash in the middle of a run: code of the user's that reads where there is
/// nothing, or calls abort(), would end the process and say neither which kernel nor which task.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/executors/kernel_watch.hpp"
#include "runtime/record/outcome.hpp"

namespace pto2 {

/// Room for what a crash guard says, without the zero at its end; longer texts are cut.
inline constexpr std::size_t crash_text = 1000;

/// Where a crash guard leaves what it says, beside stderr. It is for memory that is shared with a
/// process that outlives this one.
struct CrashText {
  /// Whether a guard's handler would have heard of the signal, and has not.
  [[nodiscard]] bool is_unheard(int signal) const {
    return (awaited.load(std::memory_order_acquire) >> signal & 1) != 0;
  }

  std::atomic<ErrorCode> code{ErrorCode::ok};  ///< set when the text is
  std::atomic<uint64_t> awaited{0};            ///< a bit of each signal that has a guard's handler
  char text[crash_text + 1] = {};
};

/// While one lives, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT on a thread that `who`
/// knows end the process with the exit code of a runtime fault, after a message on stderr: signal,
/// address, and what the thread ran. Signals of other threads have their usual effect, and a signal
/// that has a handler already, e.g. a sanitizer's, or gets one meanwhile, keeps it. Any number may
/// live at the same time; the last one that was made is asked first. A process that is forked,
/// by code of the user's perhaps, is left alone, unless a guard is made in it.
class CrashGuard {
 public:
  /// Called in a signal handler on the thread that crashed, it says what that thread runs; empty:
  /// it is none of the guard's. It may allocate: a handler that does not come to its end, for want
  /// of a lock that the code under it holds, is cut off after two seconds, and one that crashes, as
  /// the allocator does in a damaged heap, ends there; the message says so instead.
  using Who = std::function<std::string()>;

  /// `arguments` is called after `who`, on a thread whose kernel does not return: what the kernel
  /// was given, in words; empty: nothing is to be said of it. None: it never is.
  /// `aborted` is asked in place of `who` after a SIGABRT, which is also how code of ours ends that
  /// finds itself wrong. None: `who` is.
  explicit CrashGuard(Who who, Who arguments = {}, Who aborted = {});
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

  /// A kernel or the orchestration on this OS thread has not returned for so long: it is left, from
  /// a handler on that thread. Where that cannot be done now (executors/user_code.hpp), nothing
  /// happens unless it is the last try: then, or if it can never be done, the process ends as after
  /// a crash. Nothing happens if it has returned meanwhile.
  static void end_stuck(const executors::KernelState& thread, uint64_t milliseconds, bool is_last);
  /// The same for one whose thread does not hear of it, from the calling thread. What is no kernel
  /// is called `orchestration`.
  [[noreturn]] static void end_mute(const executors::KernelState& thread, uint64_t milliseconds,
                                    std::string_view orchestration = "the orchestration");

  /// From now on what this process says is left in `text`, too; null: no more.
  static void leave_text_in(CrashText* text);
  /// From now on this follows the hint of what ends the process, of an ExitGuard's, too: how to
  /// have a result all the same. It stays where it is.
  static void advise(const char* text);
  [[nodiscard]] static std::string_view advice();
  /// From now on this is called when a guard, an ExitGuard, or a sanitizer is about to end the
  /// process, and has said why; and while a guard lives, when a crash of which none knows is about
  /// to: it may write more to stderr. Null: no more.
  static void say_more_by(void (*more)());
  /// Calls it.
  static void say_more();

 private:
  friend struct RunningCode;

  Who who_;
  Who arguments_;
  Who aborted_;
  CrashGuard* next_ = nullptr;  ///< was made before
};

}  // namespace pto2
