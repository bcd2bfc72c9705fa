#include "runtime/device/crash_guard.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "runtime/device/thread_signal.hpp"
#include "runtime/executors/fork_locks.hpp"
#include "runtime/executors/handler_lock.hpp"
#include "runtime/executors/user_code.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/own_place.hpp"
#include "runtime/output/whose_lack.hpp"

namespace pto2 {

/// What the calling thread runs.
struct RunningCode {
  /// By the guards that live.
  static RunningCode of_this_thread(bool has_aborted);
  /// "; its arguments: ..", as far as the guard knows them. Requires one.
  [[nodiscard]] std::string arguments() const;

  std::string who;
  const CrashGuard* guard = nullptr;  ///< that knows it; null: none does
};

namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr unsigned seconds_of_a_handler = 2;

/// For the list of guards and what is installed.
std::atomic_flag guards_taken;
CrashGuard* newest = nullptr;
std::array<struct sigaction, crashes.size()> former;
std::array<bool, crashes.size()> is_installed;
/// Whose crashes are told. What the run has forked has its handlers and its guards, and is not it.
std::atomic<pid_t> guarded_process{0};
cli::OwnPlace<CrashText> shared_text;
std::atomic<const char*> advice_text{""};
std::atomic<void (*)()> more_to_say{nullptr};
std::atomic<pid_t> crashed_thread{0};
std::atomic<ErrorCode> to_be_told{ErrorCode::ok};
std::atomic_flag is_said;  // why the process ends, or somebody is about to

/// To a thread whose kernel does not return. Nobody else is known to use it.
int stuck_signal() {
  return SIGRTMIN + 7;
}

/// What the watch tells the handler on the thread that is stuck: all of it in the signal itself,
/// which may come late, and beside those of other launches.
struct StuckNote {
  StuckNote(const executors::KernelState& thread, uint64_t not_returned_for, bool last)
      : turn(thread.begun),
        milliseconds(not_returned_for),
        is_orchestration(thread.is_orchestration),
        is_last(last) {}
  explicit StuckNote(sigval value) : StuckNote(reinterpret_cast<uintptr_t>(value.sival_ptr)) {}
  explicit StuckNote(uint64_t bits)
      : turn(bits >> 32),
        milliseconds((bits & 0xffff'ffff) >> 2),
        is_orchestration((bits & 2) != 0),
        is_last((bits & 1) != 0) {}
  [[nodiscard]] sigval value() const {
    const uint64_t time = std::min(milliseconds, longest_time);
    sigval result{};
    result.sival_ptr = reinterpret_cast<void*>(
        uintptr_t{turn << 32 | time << 2 | uint64_t{is_orchestration} << 1 | uint64_t{is_last}});
    return result;
  }

  static constexpr uint64_t longest_time = (uint64_t{1} << 30) - 1;  ///< 12 days; else: at least

  uint64_t turn;  ///< its low half, once it was sent, by which leave() tells turns apart
  uint64_t milliseconds;
  bool is_orchestration;
  bool is_last;
};

const void* instruction_of(void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(
      static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#else
  static_cast<void>(context);
  return nullptr;
#endif
}

std::string text_of(const std::string& who, int signal, const siginfo_t& info, void* context) {
  const char* const name = sigabbrev_np(signal);
  const bool has_address = signal != SIGABRT && info.si_code > 0;
  return fmt::format("{} crashed: SIG{}{}{}", who, name == nullptr ? "?" : name,
                     has_address ? fmt::format(" at address {}", fmt::ptr(info.si_addr)) : "",
                     has_address ? executors::place_text(instruction_of(context)) : "");
}

/// Allocates nothing: it may be in the middle of malloc().
void say(ErrorCode code, std::string_view text) {
  is_said.test_and_set();
  if (CrashText* const shared = shared_text.get()) {
    const std::size_t length = std::min(text.size(), crash_text);
    std::copy_n(text.begin(), length, shared->text);
    shared->text[length] = '\0';
    shared->code.store(code, std::memory_order_release);
  }
  std::array<iovec, 6> message;
  auto* next = message.data();
  for (const std::string_view part :
       {std::string_view("FATAL: "), text, std::string_view("\n"),
        std::string_view(row_of(code).hint), CrashGuard::advice(), std::string_view("\n")}) {
    *next++ = {const_cast<char*>(part.data()), part.size()};
  }
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, message.data(), message.size());
}

/// After the message of a guard, and what others have to say.
[[noreturn]] void end_with_message(ErrorCode code, std::string_view text) {
  say(code, text);
  CrashGuard::say_more();
  _exit(cli::exit_runtime_fault);
}

/// The handler waits for a lock that the code under it holds.
void end_unnamed(int) {
  say(to_be_told.load(),
      "a kernel or the orchestration has crashed or does not return, and holds a lock without "
      "which it has no name, the allocator's perhaps");
  _exit(cli::exit_runtime_fault);
}

/// The handler has crashed: what it allocates to find a name does so where the heap is damaged. If
/// it was the message that did, there is none.
[[noreturn]] void end_without_look() {
  if (!is_said.test()) {
    say(to_be_told.load(),
        "a kernel or the orchestration has crashed or does not return, and the look at which has "
        "crashed, too: its memory is damaged, the allocator's perhaps");
  }
  _exit(cli::exit_runtime_fault);
}

/// The usual effect comes when the instruction is tried again, or `at_once`: it was sent, or is
/// that of a trap, behind which the thread would go on. It comes in place of a handler that others
/// have installed since, too: that has passed the signal on to this one, and would do so again.
void leave_to_others(int signal, bool at_once) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  if (at_once) raise(signal);
}

/// Ends the process with what `text_about` says of what the calling thread runs. Returns if no
/// guard knows it: after what others have to say, if it is a crash, which ends the process all the
/// same. In a process that was forked nothing is touched: whoever held a lock then, or was about to
/// end the process, is not there.
template <class TextAbout>
void end_with(ErrorCode error, TextAbout&& text_about, bool has_aborted = false) {
  if (getpid() != guarded_process.load()) return;
  pid_t nobody = 0;
  const pid_t self = gettid();
  if (!crashed_thread.compare_exchange_strong(nobody, self)) {
    if (nobody == self) end_without_look();
    for (;;) ::pause();  // the first one ends the process
  }
  to_be_told.store(error);
  std::signal(SIGALRM, end_unnamed);
  alarm(seconds_of_a_handler);
  const RunningCode code = RunningCode::of_this_thread(has_aborted);
  if (code.guard != nullptr) end_with_message(error, text_about(code));
  if (error == ErrorCode::crashed) CrashGuard::say_more();
  alarm(0);
  crashed_thread.store(0);
}

/// For who reads it when this process is gone.
void await(int signal, bool awaited) {
  CrashText* const shared = shared_text.get();
  if (shared == nullptr) return;
  const uint64_t bit = uint64_t{1} << signal;
  awaited ? shared->awaited.fetch_or(bit) : shared->awaited.fetch_and(~bit);
}

void on_crash(int signal, siginfo_t* info, void* context) {
  end_with(
      ErrorCode::crashed,
      [&](const RunningCode& code) { return text_of(code.who, signal, *info, context); },
      signal == SIGABRT);
  await(signal, false);
  leave_to_others(signal, info->si_code <= 0 || signal == SIGTRAP);
}

/// Whether a guard would name what has met it after the SIGABRT in which it ends otherwise.
bool is_of_users(const std::bad_alloc& lack) {
  if (dynamic_cast<const executors::NoMemoryForCall*>(&lack) != nullptr) return false;
  try {
    return RunningCode::of_this_thread(true).guard != nullptr;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// A sanitizer that has the signals has reported, and ends the process.
void on_report() {
  if (getpid() == guarded_process.load()) CrashGuard::say_more();
}

/// Has its argument called at the end of a report, in place of what was to be before.
using SanitizerEnd = void(void (*)());
/// Of the sanitizer that this program is built with, or that was loaded before it; else null.
SanitizerEnd* end_of_sanitizer() {
  return reinterpret_cast<SanitizerEnd*>(dlsym(RTLD_DEFAULT, "__sanitizer_set_death_callback"));
}

ErrorCode timeout_of(bool is_orchestration) {
  return is_orchestration ? ErrorCode::orchestration_timeout : ErrorCode::scheduler_timeout;
}

void on_stuck(int, siginfo_t* info, void* context) {
  const StuckNote note(info->si_value);
  const void* const place = instruction_of(context);
  const executors::NotLeft why = executors::leave(note.turn, place, note.milliseconds);
  if (why == executors::NotLeft::returned) return;
  if (why == executors::NotLeft::in_library && !note.is_last) return;
  end_with(timeout_of(note.is_orchestration), [&](const RunningCode& code) {
    return fmt::format("{} has not returned for {}{}{}{}", code.who,
                       executors::seconds_text(note.milliseconds), executors::place_text(place),
                       why == executors::NotLeft::in_library
                           ? ", where it cannot be left: it may hold a lock that others need"
                           : "",
                       code.arguments());
  });
}

void install() {
  cli::is_lack_of_users.store(is_of_users, std::memory_order_release);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    sigaction(crashes[i], nullptr, &former[i]);
    is_installed[i] = (former[i].sa_flags & SA_SIGINFO) == 0 && former[i].sa_handler == SIG_DFL;
    if (is_installed[i]) sigaction(crashes[i], &action, nullptr);
    await(crashes[i], is_installed[i]);
  }
  action.sa_sigaction = on_stuck;
  action.sa_flags |= SA_RESTART;
  sigaction(stuck_signal(), &action, nullptr);
}

/// But for the handlers that others have installed meanwhile.
void uninstall() {
  cli::is_lack_of_users.store(nullptr, std::memory_order_release);
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    struct sigaction now {};
    sigaction(crashes[i], nullptr, &now);
    const bool is_ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash;
    if (is_installed[i] && is_ours) sigaction(crashes[i], &former[i], nullptr);
    await(crashes[i], false);
  }
}

/// In the child of a fork: guards of other threads are not there any more, and those of this one
/// are of the parent's run.
void forget_crash_guards() {
  if (std::exchange(newest, nullptr) != nullptr) uninstall();
  crashed_thread.store(0);  // one that waits for the fork, perhaps
  is_said.clear();
}
bool keep_guards_from_forks() {
  executors::keep_from_forks(guards_taken, executors::ForkRank::crash_guards, forget_crash_guards);
  return true;
}
[[maybe_unused]] const bool are_kept_from_forks = keep_guards_from_forks();

}  // namespace

CrashGuard::CrashGuard(Who who, Who arguments, Who aborted)
    : who_(std::move(who)), arguments_(std::move(arguments)), aborted_(std::move(aborted)) {
  guarded_process.store(getpid());
  const HandlerLock lock(guards_taken);
  if (newest == nullptr) install();
  next_ = std::exchange(newest, this);
}

CrashGuard::~CrashGuard() {
  const HandlerLock lock(guards_taken);
  CrashGuard** place = &newest;
  while (*place != nullptr && *place != this) place = &(*place)->next_;
  if (*place == nullptr) return;  // this process was forked meanwhile
  *place = next_;
  if (newest == nullptr) uninstall();
}

RunningCode RunningCode::of_this_thread(bool has_aborted) {
  const HandlerLock lock(guards_taken);
  for (CrashGuard* guard = newest; guard != nullptr; guard = guard->next_) {
    const bool is_special = has_aborted && guard->aborted_;
    std::string who = is_special ? guard->aborted_() : guard->who_();
    if (!who.empty()) return {std::move(who), guard};
  }
  return {};
}

std::string RunningCode::arguments() const {
  const std::string text = guard->arguments_ ? guard->arguments_() : std::string();
  return text.empty() ? text : "; its arguments: " + text;
}

void CrashGuard::end_stuck(const executors::KernelState& thread, uint64_t milliseconds,
                           bool is_last) {
  send_to_thread(thread.thread, stuck_signal(), StuckNote(thread, milliseconds, is_last).value());
}

void CrashGuard::end_mute(const executors::KernelState& thread, uint64_t milliseconds,
                          std::string_view orchestration) {
  const std::string who = thread.is_orchestration
                              ? fmt::format("{}, whose thread takes no signals,", orchestration)
                              : "a kernel whose thread takes no signals";
  end_with_message(
      timeout_of(thread.is_orchestration),
      fmt::format("{} has not returned for {}", who, executors::seconds_text(milliseconds)));
}

void CrashGuard::leave_text_in(CrashText* text) {
  shared_text.set(text);
}

void CrashGuard::advise(const char* text) {
  advice_text.store(text, std::memory_order_release);
}

std::string_view CrashGuard::advice() {
  return advice_text.load(std::memory_order_acquire);
}

void CrashGuard::say_more_by(void (*more)()) {
  more_to_say.store(more, std::memory_order_release);
  if (SanitizerEnd* const call_at_end = end_of_sanitizer()) call_at_end(on_report);
}

void CrashGuard::say_more() {
  if (void (*const more)() = more_to_say.load(std::memory_order_acquire)) more();
}

}  // namespace pto2
