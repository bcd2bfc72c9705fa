/// The user's code that an OS thread is inside of, a kernel or an orchestration, and how it is left
/// when it does not return.
///
/// A handler on the thread itself leaves it, and it ends as if it had thrown LeftBehind. Its frames
/// are not unwound, because it may have been interrupted anywhere: what they own, memory or locks,
/// is lost. Nothing of it runs any more. It is not left inside a library of the system, which may
/// hold a lock there that everybody needs, such as that of malloc(). If it comes out and ends by
/// itself, it was late all the same: the handler may have been what has ended a call such as
/// poll(), and then it has not done what it should.
///
/// The code may fork, by fork(): the new process may end in it, or become another program. It has
/// one thread, and nobody to go on with the run. If it comes out of the code, or to a call of ours
/// that would wait, or to any of an orchestration, it is ended there, with a message.
#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <string>

#include "runtime/executors/machine.hpp"
#include "runtime/executors/sanitizer_switch.hpp"
#include "runtime/executors/thread_pointer.hpp"

// Sanitizers keep books of frames.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PTO2_CAN_LEAVE 0
#elif defined(__x86_64__) || (defined(__aarch64__) && !defined(__clang__))
#define PTO2_CAN_LEAVE 1
#else
#define PTO2_CAN_LEAVE 0
#endif

namespace pto2::executors {

/// Leaves call_leavable() instead of the code that was called, or behind it if that was late.
struct LeftBehind {
  /// In place of a time: this process was forked in the code, and has no part in the run.
  static constexpr uint64_t in_fork = ~uint64_t{0};

  const void* place;      ///< the instruction that it was at; null: unknown, and so it was late
  uint64_t milliseconds;  ///< for which it had not returned
  [[nodiscard]] std::string text() const;
};

/// Leaves a kernel instead of a call of ours that had no memory: the run lacks it, which is no
/// fault of the kernel.
struct NoMemoryForCall : std::bad_alloc {};

/// Changes whenever the thread that writes it comes to other code of the user's.
using Turn = Machine::atomic<uint64_t>;

/// Why code is not left for now, wherever it is.
enum class Held : uint8_t {
  no,
  in_call,  ///< of ours: see OurCall
  by_ours,  ///< which has called it: see OurCode
};

/// Where to go on after leaving.
struct Exit {
  void* frame[5];  ///< of __builtin_setjmp
  void (*kernel)(
      int64_t*);  ///< in whose image it can be left; null: in any that is not the system's
  const Turn* turn;
  LeftBehind left;
  Held held = Held::no;
  volatile bool is_late = false;  ///< a handler would have left it; `left` says where
};

/// Of what the OS thread is inside of; read by handlers on it. A fiber and its host share it, not
/// TSan's context.
extern constinit thread_local Exit* volatile this_exit;

// What this_exit is on the OS thread that runs now.
#if PTO2_HAS_SEGMENTS
extern const ThreadPointer<Exit> exit_pointer;
[[nodiscard, gnu::always_inline]] inline Exit* exit_of_thread() {
  return exit_pointer.get();
}
[[gnu::always_inline]] inline void set_exit_of_thread(Exit* exit) {
  exit_pointer.set(exit);
}
#else
[[nodiscard]] Exit* exit_of_thread();
void set_exit_of_thread(Exit* exit);
#endif

/// While it lives, the code can be left. It may end on another OS thread than it has begun on: an
/// orchestration's.
class Open {
 public:
  explicit Open(Exit& exit) { set(&exit); }
  ~Open() { set(nullptr); }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

 private:
  /// Around each kernel: where there are segments, each access goes through that of the thread
  /// that runs now anyway, and needs no look at how far in it the variable is.
  [[gnu::always_inline]] static void set(Exit* exit) {
#if PTO2_HAS_SEGMENTS
    this_exit = exit;
#else
    set_exit_of_thread(exit);
#endif
  }
};

/// Calls kernel(args); false: `exit` was used, or it was late. Both ways lead to the end of the
/// function, which is why the compiler keeps the registers of the caller for either. It does
/// nothing else, because what it keeps meanwhile is kept in memory.
[[nodiscard]] bool returns(void (*kernel)(int64_t*), int64_t* args, Exit& exit);
[[noreturn]] void throw_left(const LeftBehind& left);

/// Nothing comes before or after the kernel.
struct Bare {};

/// Calls kernel(args), which can be left while `turn` stays as it is, while an Around of `of`
/// lives. Throws what the kernel does, or LeftBehind.
template <class Around = Bare, class... Of>
[[gnu::always_inline]] inline void call_leavable(void (*kernel)(int64_t*), int64_t* args,
                                                 const Turn& turn, Of&... of) {
  [[maybe_unused]] const Around around{of...};
#if PTO2_CAN_LEAVE
  Exit exit;
  exit.kernel = kernel;
  exit.turn = &turn;
  if (!returns(kernel, args, exit)) [[unlikely]]
    throw_left(exit.left);
#else
  static_cast<void>(turn);
  kernel(args);
#endif
}

/// Code of ours that is called as a kernel is, and calls the kernel: a guard. It holds locks, so
/// only the kernel within is left.
class OurCode {
 public:
  OurCode();
  ~OurCode();
  OurCode(const OurCode&) = delete;
  OurCode& operator=(const OurCode&) = delete;

  /// As call_leavable(), in the turn of whoever has called this code.
  void call(void (*kernel)(int64_t*), int64_t* args);

 private:
  Exit* const outer_;  // null: nothing is left here
};

/// While it lives, the code that the calling thread is inside of is in a call of ours, which holds
/// locks, and rings others. Whatever would leave it finds it late.
class OurCall {
 public:
  OurCall();
  ~OurCall();
  OurCall(const OurCall&) = delete;
  OurCall& operator=(const OurCall&) = delete;

 private:
  Exit* const caller_;  // null: nothing is left here
};
/// At the end of a call of ours, which goes on at `place`: leaves the code that is late.
void leave_if_late(const void* place);

/// While it lives, a call of ours asks the code that the calling thread is inside of something, and
/// must not be called to wait.
class Asked {
 public:
  Asked();
  ~Asked();
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  /// Whether one lives on the calling thread.
  [[nodiscard]] static bool is_any();
};

/// While it lives, another fiber runs on the OS thread than the one whose code it is inside of.
class OtherFiber {
 public:
  OtherFiber();
  ~OtherFiber();
  OtherFiber(const OtherFiber&) = delete;
  OtherFiber& operator=(const OtherFiber&) = delete;

 private:
  Exit* const own_;
  const bool is_asked_;
};

/// Code that calls ours in between: an orchestration. It is left only while it is in its own.
class CallingCode {
 public:
  CallingCode() = default;
  CallingCode(const CallingCode&) = delete;
  CallingCode& operator=(const CallingCode&) = delete;

  /// Calls body(), which can be left. Throws what it does, and LeftBehind.
  void call(const std::function<void()>& body);
  /// Around each call of ours. False: whoever calls is not this code, but on another thread, a
  /// kernel's on the same, or inside of such a call; or calls are shut out. A fiber may leave on
  /// another OS thread than it has entered on.
  [[nodiscard]] bool enter() {
    if (exit_of_thread() != door_.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    come_in();
    return true;
  }
  /// The same where calls are shut out.
  [[nodiscard]] bool enter_all_the_same() {
    if (!is_inside()) return false;
    come_in();
    return true;
  }
  void leave() {
    come_to(turn() + 1);
    set_exit_of_thread(&exit_);
  }

  /// From any thread: calls are shut out, or let in again. Whoever calls finds out at some time.
  void shut_out_calls() { door_.store(&no_code, std::memory_order_relaxed); }
  void let_calls_in() { door_.store(&exit_, std::memory_order_relaxed); }
  [[nodiscard]] bool shuts_out_calls() const {
    return door_.load(std::memory_order_relaxed) == &no_code;
  }

  /// Where an orchestration may not call: ends this process if it was forked in the code.
  void end_if_forked() const;

  /// Whether the calling thread is inside of this code, in no call of ours.
  [[nodiscard]] bool is_inside() const { return exit_of_thread() == &exit_; }

  /// From any thread: a number that changes with each call; odd: the code is in its own.
  [[nodiscard]] uint64_t turn() const { return turn_.load(std::memory_order_relaxed); }

 private:
  void come_in() {
    set_exit_of_thread(nullptr);
    come_to(turn() + 1);
  }
  void come_to(uint64_t turn) { turn_.store(turn, std::memory_order_relaxed); }

  static Exit no_code;  // nobody is inside of it

  Exit exit_{};
  Machine::atomic<Exit*> door_{&exit_};  // of whom calls are let in
  Turn turn_{0};
};

/// Why code has not been left.
enum class NotLeft {
  returned,    ///< it was in another turn
  in_library,  ///< of the system, or not in a kernel's own image: it is late; or in code of ours
  never,       ///< this build cannot
};

/// Whether the calling thread is inside of code that can be left.
[[nodiscard]] bool is_inside_any();
/// In a signal handler: whether the calling thread has been inside of the same since `turn`, whose
/// low 32 bits are enough: no signal is that late.
[[nodiscard]] bool is_inside(uint64_t turn);
/// In a signal handler that runs on a stack of its own, and interrupted `place`: leaves what the
/// calling thread has been inside of since `turn`. Returns only if it does not; what is in a
/// library then is late from now on.
NotLeft leave(uint64_t turn, const void* place, uint64_t milliseconds);

/// ", in f of /lib/x.so+0x1127" of an instruction, as far as it is known.
[[nodiscard]] std::string place_text(const void* instruction);
/// "0.3 s", "3600 s": all digits, and no power of ten.
[[nodiscard]] std::string seconds_text(uint64_t milliseconds);

}  // namespace pto2::executors
