#include "runtime/executors/user_code.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <string_view>

#include "runtime/executors/image_names.hpp"
#include "runtime/executors/logical_thread.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::executors {

constinit thread_local Exit* volatile this_exit = nullptr;

#if PTO2_HAS_SEGMENTS

PTO2_THREAD_POINTER const ThreadPointer<Exit> exit_pointer(this_exit);

#else

[[gnu::noinline]] PTO2_UNSEEN_BY_TSAN Exit* exit_of_thread() {
  asm volatile("");
  return this_exit;
}

[[gnu::noinline]] PTO2_UNSEEN_BY_TSAN void set_exit_of_thread(Exit* exit) {
  asm volatile("");
  this_exit = exit;
}

#endif

namespace {

/// Those that hold locks for everybody. An allocator may have taken the place of the libraries' own
/// malloc() and operator new, but not of their other members here.
bool is_of_the_system(const void* image) {
  static constexpr std::array members{"malloc",      "_Znwm",          "write",
                                      "__cxa_throw", "__tls_get_addr", "_Unwind_Resume"};
  return std::ranges::any_of(members, [image](const char* name) {
    const void* const member = dlsym(RTLD_NEXT, name);
    return member != nullptr && image_of(member) == image;
  });
}

thread_local bool is_asked = false;

/// A fiber and its host share it, not TSan's context: by hand, as it looks into std::exchange().
PTO2_UNSEEN_BY_TSAN bool exchange_asked(bool asked) {
  const bool former = is_asked;
  is_asked = asked;
  return former;
}

/// Of this process: it was forked in code of the user's.
std::atomic<bool> was_forked{false};

/// In such a process. No kernel comes out of its code unseen then, and no orchestration calls.
PTO2_UNSEEN_BY_TSAN void be_late_in_fork() {
  Exit* const exit = this_exit;
  if (exit == nullptr) return;
  was_forked.store(true, std::memory_order_relaxed);
  exit->left = {nullptr, LeftBehind::in_fork};
  exit->is_late = true;
  if (exit->kernel == nullptr) this_exit = nullptr;
}

/// Without memory for the handler such a process goes on with a run that nobody ends.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, be_late_in_fork);

/// Allocates nothing: another thread may have been in the middle of malloc().
[[noreturn]] void end_fork() {
  static constexpr std::string_view message =
      "FATAL: a process that a kernel or the orchestration has forked came back to the run\n"
      "end it where it was forked, by _exit(), or have it become another program by exec()\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  _exit(cli::exit_runtime_fault);
}

[[maybe_unused]] bool is_leavable(const void* place, void (*kernel)(int64_t*)) {
  const void* const image = image_of(place);
  const bool is_own = kernel == nullptr || image == image_of(reinterpret_cast<const void*>(kernel));
  return image != nullptr && is_own && !is_of_the_system(image);
}

}  // namespace

PTO2_UNSEEN_BY_TSAN bool is_inside_any() {
  return this_exit != nullptr;
}

bool is_inside(uint64_t turn) {
  const Exit* const exit = this_exit;
  const auto low_half = [](uint64_t of) { return static_cast<uint32_t>(of); };
  return exit != nullptr && low_half(exit->turn->load(std::memory_order_relaxed)) == low_half(turn);
}

#if PTO2_CAN_LEAVE

[[gnu::noinline]] bool returns(void (*kernel)(int64_t*), int64_t* args, Exit& exit) {
  if (__builtin_setjmp(exit.frame) != 0) {
    set_exit_of_thread(nullptr);
    return false;
  }
  try {
    const Open open(exit);
    kernel(args);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    // Of a call that was interrupted, perhaps.
    if (!exit.is_late) throw;
  }
  return !exit.is_late;
}

NotLeft leave(uint64_t turn, const void* place, uint64_t milliseconds) {
  if (!is_inside(turn)) return NotLeft::returned;
  Exit* const exit = this_exit;
  if (exit->held == Held::by_ours) return NotLeft::in_library;
  exit->left = {place, milliseconds};
  if (exit->held == Held::no && is_leavable(place, exit->kernel)) __builtin_longjmp(exit->frame, 1);
  exit->is_late = true;
  return NotLeft::in_library;
}

void leave_if_late(const void* place) {
  Exit* const exit = exit_of_thread();
  if (exit == nullptr || !exit->is_late) return;
  exit->left.place = place;
  __builtin_longjmp(exit->frame, 1);
}

#else

PTO2_UNSEEN_BY_TSAN bool returns(void (*kernel)(int64_t*), int64_t* args, Exit& exit) {
  const Open open(exit);
  kernel(args);
  return !exit.is_late;
}

NotLeft leave(uint64_t, const void*, uint64_t) {
  return NotLeft::never;
}

void leave_if_late(const void*) {}

#endif

void throw_left(const LeftBehind& left) {
  if (left.milliseconds == LeftBehind::in_fork) end_fork();
  throw LeftBehind(left);
}

PTO2_UNSEEN_BY_TSAN OurCode::OurCode() : outer_(this_exit) {
  if (outer_ != nullptr) outer_->held = Held::by_ours;
}

PTO2_UNSEEN_BY_TSAN OurCode::~OurCode() {
  if (outer_ != nullptr) outer_->held = Held::no;
}

void OurCode::call(void (*kernel)(int64_t*), int64_t* args) {
  struct Back {
    PTO2_UNSEEN_BY_TSAN ~Back() { this_exit = outer; }
    Exit* outer;
  };
  if (outer_ == nullptr) return kernel(args);
  const Back back{outer_};
  Exit exit{{}, kernel, outer_->turn, {}};
  if (!returns(kernel, args, exit)) throw_left(exit.left);
}

PTO2_UNSEEN_BY_TSAN OurCall::OurCall() : caller_(this_exit) {
  if (caller_ != nullptr) caller_->held = Held::in_call;
}

PTO2_UNSEEN_BY_TSAN OurCall::~OurCall() {
  if (caller_ != nullptr) caller_->held = Held::no;
}

Asked::Asked() {
  exchange_asked(true);
}

Asked::~Asked() {
  exchange_asked(false);
}

PTO2_UNSEEN_BY_TSAN bool Asked::is_any() {
  return is_asked;
}

PTO2_UNSEEN_BY_TSAN OtherFiber::OtherFiber() : own_(this_exit), is_asked_(exchange_asked(false)) {
  this_exit = nullptr;
}

PTO2_UNSEEN_BY_TSAN OtherFiber::~OtherFiber() {
  this_exit = own_;
  exchange_asked(is_asked_);
}

constinit Exit CallingCode::no_code{};

void CallingCode::call(const std::function<void()>& body) {
  struct Over {
    ~Over() { code.come_to((code.turn() + 1) & ~uint64_t{1}); }
    CallingCode& code;
  };
  const Over over{*this};
  const auto call = [](int64_t* own) { (*reinterpret_cast<const std::function<void()>*>(own))(); };
  auto* const own = reinterpret_cast<int64_t*>(const_cast<std::function<void()>*>(&body));
  exit_.turn = &turn_;
  exit_.is_late = false;
  come_to(turn() + 1);
  if (!returns(call, own, exit_)) throw_left(exit_.left);
}

void CallingCode::end_if_forked() const {
  if (!was_forked.load(std::memory_order_relaxed)) return;
  if (exit_.is_late && exit_.left.milliseconds == LeftBehind::in_fork) end_fork();
}

std::string LeftBehind::text() const {
  return "on " + running_thread() + ", has not returned for " + seconds_text(milliseconds) +
         place_text(place);
}

std::string place_text(const void* instruction) {
  Dl_info info{};
  if (dladdr(instruction, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string function =
      info.dli_sname == nullptr ? std::string() : std::string(info.dli_sname) + " of ";
  const std::string_view name = ImageName::path_of(info.dli_fbase);
  char offset[24];
  std::snprintf(offset, sizeof offset, "+0x%tx",
                static_cast<const char*>(instruction) - static_cast<const char*>(info.dli_fbase));
  return ", in " + function + std::string(name.empty() ? info.dli_fname : name) + offset;
}

std::string seconds_text(uint64_t milliseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g s", static_cast<double>(milliseconds) / 1000);
  return text;
}

}  // namespace pto2::executors
