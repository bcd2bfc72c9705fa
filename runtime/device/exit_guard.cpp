#include "runtime/device/exit_guard.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/executors/fork_locks.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/own_place.hpp"
#include "runtime/output/stderr_text.hpp"
#include "runtime/record/outcome.hpp"

namespace pto2 {
namespace {

/// For the list, and around what takes a lock of the C library's.
std::mutex guards_lock;
ExitGuard* newest_guard = nullptr;
bool is_at_quick_exit = false;
/// Which made the last one. One that is forked without handlers of forks may have the lock for
/// ever.
std::atomic<pid_t> guarding_process{0};
/// Whose handler is called by whoever takes it back, and has the lock.
std::atomic<const void*> taken_back{nullptr};

/// In the child of a fork: they are of the parent's runs, and those of other threads are not there.
void forget_exit_guards() {
  newest_guard = nullptr;
}
bool keep_lock_from_forks() {
  executors::keep_from_forks(guards_lock, forget_exit_guards);
  return true;
}
[[maybe_unused]] const bool is_kept_from_forks = keep_lock_from_forks();

cli::OwnPlace<CrashText> text_of_exit;

/// For who reads it when this process is gone.
void leave(const std::string& message) {
  CrashText* const text = text_of_exit.get();
  if (text == nullptr) return;
  text->text[message.copy(text->text, crash_text)] = '\0';
  text->code.store(ErrorCode::exited, std::memory_order_release);
}

[[noreturn]] void end_for(const std::string& caller, const char* call) {
  const std::string message = fmt::format(
      "{} called {} in the middle of a run, which would end the process with its graph half done",
      caller, call);
  leave(message);
  cli::print_to_stderr("FATAL: {}\n{}{}\n", message, row_of(ErrorCode::exited).hint,
                       CrashGuard::advice());
  CrashGuard::say_more();
  std::fflush(nullptr);
  _exit(cli::exit_runtime_fault);
}

}  // namespace

/// The guard is its own shared object to the C++ ABI, so that its handler alone can be taken back.
/// One of quick_exit() cannot be: it stays, and asks the guards that live.
ExitGuard::ExitGuard(Who who) : who_(std::move(who)), process_(getpid()) {
  const std::lock_guard lock(guards_lock);
  guarding_process = process_;
  if (!is_at_quick_exit) is_at_quick_exit = std::at_quick_exit(at_quick_exit) == 0;
  if (!is_at_quick_exit || abi::__cxa_atexit(at_exit, this, this) != 0) throw std::bad_alloc();
  next_ = std::exchange(newest_guard, this);
}

/// To take a handler back is to call it.
ExitGuard::~ExitGuard() {
  const std::lock_guard lock(guards_lock);
  ExitGuard** place = &newest_guard;
  while (*place != nullptr && *place != this) place = &(*place)->next_;
  if (*place != nullptr) *place = next_;  // else this process was forked meanwhile
  taken_back = this;
  abi::__cxa_finalize(this);
  taken_back = nullptr;
}

void ExitGuard::leave_text_in(CrashText* text) {
  text_of_exit.set(text);
}

std::string ExitGuard::who_called() const {
  return process_ == getpid() ? who_() : std::string();
}

/// In the child of a fork a guard may be one of the parent's other threads, whose memory is used
/// for something else.
void ExitGuard::at_exit(void* guard) {
  if (taken_back == guard || guarding_process != getpid()) return;
  const ExitGuard* self = nullptr;
  {
    const std::lock_guard lock(guards_lock);
    self = newest_guard;
    while (self != nullptr && self != guard) self = self->next_;
  }
  if (self == nullptr) return;
  const std::string caller = self->who_called();  // without the lock: it asks the dynamic loader
  if (!caller.empty()) end_for(caller, "exit() or pthread_exit()");
}

void ExitGuard::at_quick_exit() {
  if (guarding_process != getpid()) return;
  const std::lock_guard lock(guards_lock);
  for (const ExitGuard* guard = newest_guard; guard != nullptr; guard = guard->next_) {
    const std::string caller = guard->who_called();
    if (!caller.empty()) end_for(caller, "quick_exit()");
  }
}

}  // namespace pto2
