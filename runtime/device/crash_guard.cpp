#include "runtime/device/crash_guard.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "runtime/output/exit_codes.hpp"

namespace pto2 {

namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr unsigned seconds_of_a_handler = 2;

/// Of the list of guards and of what is installed. A handler takes it, too, so it is no mutex.
class Lock {
 public:
  Lock() {
    while (taken_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Lock() { taken_.clear(std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static inline std::atomic_flag taken_;
};

CrashGuard* newest = nullptr;
std::array<struct sigaction, crashes.size()> former;
std::array<bool, crashes.size()> is_installed;
std::atomic<CrashText*> shared_text{nullptr};
std::atomic<pid_t> crashed_thread{0};
std::atomic<uint64_t> stuck_for{0};  // milliseconds

/// To a thread whose kernel does not return. Nobody else is known to use it.
int stuck_signal() {
  return SIGRTMIN + 7;
}

/// Of the instruction that was at fault, where a name is known: " in f of /lib/x.so".
std::string function_at(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_sname == nullptr ? fmt::format(", in {}", info.dli_fname)
                                   : fmt::format(", in {} of {}", info.dli_sname, info.dli_fname);
}

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
                     has_address ? function_at(instruction_of(context)) : "");
}

std::string seconds_text(uint64_t milliseconds) {
  return fmt::format("{:.3g} s", static_cast<double>(milliseconds) / 1000);
}

void say(ErrorCode code, const std::string& text) {
  if (CrashText* const shared = shared_text.load(std::memory_order_acquire)) {
    const std::size_t length = std::min(text.size(), crash_text);
    std::copy_n(text.begin(), length, shared->text);
    shared->text[length] = '\0';
    shared->code.store(code, std::memory_order_release);
  }
  const std::string message = fmt::format("FATAL: {}\n{}\n", text, crash_hint(code));
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
}

void end(int) {
  _exit(cli::exit_runtime_fault);
}

/// The usual effect comes when the instruction is tried again or, if there is none, now.
void leave_to_others(int signal, bool was_sent) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  if (was_sent) raise(signal);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  pid_t nobody = 0;
  const pid_t self = gettid();
  if (!crashed_thread.compare_exchange_strong(nobody, self)) {
    if (nobody == self) _exit(cli::exit_runtime_fault);  // the handler has crashed
    for (;;) ::pause();                                  // the first one ends the process
  }
  std::signal(SIGALRM, end);
  alarm(seconds_of_a_handler);
  const std::string who = who_crashed();
  if (who.empty()) {
    alarm(0);
    crashed_thread.store(0);
    if (signal != stuck_signal()) leave_to_others(signal, info->si_code <= 0);
    return;
  }
  if (signal == stuck_signal()) {
    say(ErrorCode::scheduler_timeout,
        fmt::format("{} has not returned for {}{}", who, seconds_text(stuck_for.load()),
                    function_at(instruction_of(context))));
  } else {
    say(ErrorCode::crashed, text_of(who, signal, *info, context));
  }
  _exit(cli::exit_runtime_fault);
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    sigaction(crashes[i], nullptr, &former[i]);
    is_installed[i] = (former[i].sa_flags & SA_SIGINFO) == 0 && former[i].sa_handler == SIG_DFL;
    if (is_installed[i]) sigaction(crashes[i], &action, nullptr);
  }
  action.sa_flags |= SA_RESTART;
  sigaction(stuck_signal(), &action, nullptr);
}

void uninstall() {
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    if (is_installed[i]) sigaction(crashes[i], &former[i], nullptr);
  }
}

}  // namespace

const char* crash_hint(ErrorCode code) {
  return code == ErrorCode::scheduler_timeout
             ? "if the kernel is only slow, give --deadline more seconds, or 0 for no end"
             : "run it under a sanitizer or a debugger: what crashed is not the runtime's";
}

CrashGuard::CrashGuard(Who who) : who_(std::move(who)) {
  const Lock lock;
  if (newest == nullptr) install();
  next_ = std::exchange(newest, this);
}

CrashGuard::~CrashGuard() {
  const Lock lock;
  CrashGuard** place = &newest;
  while (*place != this) place = &(*place)->next_;
  *place = next_;
  if (newest == nullptr) uninstall();
}

std::string who_crashed() {
  const Lock lock;
  for (CrashGuard* guard = newest; guard != nullptr; guard = guard->next_) {
    if (std::string who = guard->who_(); !who.empty()) return who;
  }
  return {};
}

void CrashGuard::end_stuck(pid_t thread, uint64_t milliseconds) {
  stuck_for.store(milliseconds);
  tgkill(getpid(), thread, stuck_signal());
}

void CrashGuard::end_mute(uint64_t milliseconds) {
  say(ErrorCode::scheduler_timeout,
      fmt::format("a kernel whose thread takes no signals has not returned for {}",
                  seconds_text(milliseconds)));
  _exit(cli::exit_runtime_fault);
}

void CrashGuard::leave_text_in(CrashText* text) {
  shared_text.store(text, std::memory_order_release);
}

}  // namespace pto2
