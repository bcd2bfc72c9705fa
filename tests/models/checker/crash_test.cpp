// Programs that crash: each is a violation with a story, and a token that leads to the same crash.
#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <pto2/checker.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// Hides a value from the compiler.
template <class T>
T opaque(T value) {
  T volatile hidden = value;
  return hidden;
}

/// The second thread does what crashes in the executions where it sees what the first has stored.
std::function<void()> where_one_is_seen(std::function<void()> crash) {
  return [crash] {
    atomic<int> x{0, "x"};
    thread setter([&] { x.store(1, relaxed); });
    thread crasher(
        [&] {
          if (x.load(relaxed) == 1) crash();
        },
        "crasher");
    setter.join();
    crasher.join();
  };
}

/// The report is good with every way to search; `what` stands in the message.
void expect_crash(const std::string& what, const std::function<void()>& body) {
  Options jobs;
  jobs.jobs = 2;
  Options walk;
  walk.strategy = Strategy::random_walk;
  Options isolated;
  isolated.isolated_threads = true;
  for (const Options& options : {Options{}, jobs, walk, isolated}) {
    const Report report = expect_violation(ViolationKind::crash, options, body);
    ASSERT_TRUE(report.violation);
    EXPECT_NE(report.violation->message.find(what), std::string::npos) << report.to_text();
    EXPECT_NE(report.to_text().find("(crasher at crash_test.cpp:"), std::string::npos)
        << report.to_text();
    EXPECT_NE(report.to_text().find("x.load(relaxed) = 1"), std::string::npos) << report.to_text();
  }
}

// Without the sanitizer that would end the program before it crashes.
__attribute__((no_sanitize("undefined"))) void write_to(volatile int* target) {
  *opaque(target) = 1;
}
__attribute__((no_sanitize("undefined"))) int divide(int dividend, int divisor) {
  return opaque(dividend) / opaque(divisor);
}

TEST(Crash, null_pointer) {
  expect_crash("SIGSEGV, an access through a null pointer",
               where_one_is_seen([] { write_to(nullptr); }));
}

TEST(Crash, wild_pointer) {
  expect_crash("SIGSEGV, an access to memory", where_one_is_seen([] {
                 write_to(reinterpret_cast<volatile int*>(0x7ff0'0000'0000'0000));
               }));
}

int deeper(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return opaque(depth) < 0 ? frame[0] : deeper(depth + 1) + frame[0];
}

TEST(Crash, stack_overflow) {
  expect_crash("the stack of 262144 bytes is used up", where_one_is_seen([] { deeper(0); }));
}

TEST(Crash, division_by_zero) {
  expect_crash("SIGFPE", where_one_is_seen([] { opaque(divide(7, 0)); }));
}

TEST(Crash, abort_and_trap) {
  expect_crash("SIGABRT", where_one_is_seen([] { std::abort(); }));
  expect_crash("SIGILL", where_one_is_seen([] { __builtin_trap(); }));
  expect_crash("SIGTRAP", where_one_is_seen([] { raise(SIGTRAP); }));
  expect_crash("SIGBUS", where_one_is_seen([] { raise(SIGBUS); }));
}

[[gnu::noinline]] void throw_number() {
  if (opaque(true)) throw std::runtime_error("number");
}

/// Without destructors to run: GCC 12 loses the exception behind those.
[[gnu::noinline]] void throw_out_of_noexcept() noexcept {
  throw_number();
}

TEST(Crash, terminate) {
  expect_crash("std::terminate was called", where_one_is_seen([] { std::terminate(); }));
  expect_crash("std::terminate was called, with the exception: number",
               where_one_is_seen(throw_out_of_noexcept));
}

TEST(Crash, exceptions_that_leave_a_thread_or_the_body) {
  const auto body = where_one_is_seen([] { throw std::runtime_error("out of a thread"); });
  const Report report = expect_violation(ViolationKind::exception, body);
  EXPECT_NE(
      report.to_text().find("uncaught exception: out of a thread (crasher at crash_test.cpp:"),
      std::string::npos)
      << report.to_text();
  ASSERT_TRUE(report.violation && !report.violation->events.empty());
  EXPECT_EQ(report.violation->site.line(), report.violation->events.back().line);
  expect_violation(ViolationKind::exception, [] {
    atomic<int> x{0};
    x.load(relaxed);
    throw std::bad_alloc();
  });
}

/// What a crash leaves behind meets destructors, which may crash as well.
TEST(Crash, destructors_that_crash_after_a_crash) {
  struct Owner {
    ~Owner() { write_to(target); }
    volatile int* target = nullptr;
  };
  const Report report = expect_violation(ViolationKind::crash, [] {
    const Owner owner;
    atomic<int> x{0};
    thread crasher([&] {
      x.load(relaxed);
      std::abort();
    });
    crasher.join();
  });
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->thread, 1);
}

/// The process has begun to end, so that the search cannot go on.
void expect_exit(const char* call, const std::function<void()>& leave) {
  Options jobs;
  jobs.jobs = 2;
  Options walk;
  walk.strategy = Strategy::random_walk;
  for (const Options& options : {Options{}, jobs, walk}) {
    EXPECT_EXIT(explore(options, where_one_is_seen(leave)), testing::ExitedWithCode(1),
                std::string("program: crash: ") + call +
                    " was called, .*\\(crasher at crash_test.cpp:[0-9]+\\)"
                    "\n\n.* x.load\\(relaxed\\) = 1 .*\nreplay: pto2");
  }
}

TEST(Crash, exit) {
  expect_exit("exit\\(\\)", [] { std::exit(0); });
  expect_exit("quick_exit\\(\\)", [] { std::quick_exit(0); });
  // Before the first step.
  EXPECT_EXIT(explore({}, [] { std::exit(0); }), testing::ExitedWithCode(1),
              "called, .*\\(main\\)");
}

/// Who has begun to wait does so in the replay, too, though without a step.
TEST(Crash, exit_beside_who_waits) {
  const auto body = [] {
    atomic<int> x{0}, y{0};
    thread waiting([&] { await([&] { return y.load(std::memory_order_relaxed) == 1; }); });
    thread leaving([&] {
      x.load(std::memory_order_relaxed);
      std::exit(0);
    });
    waiting.join();
    leaving.join();
  };
  EXPECT_EXIT(explore({}, body), testing::ExitedWithCode(1),
              "replay: pto2[^ ]*:3:0.0x2,1.0x0,2.0x1,2.0x0,\n");
}

/// The C library aborts when what it throws ends where a thread of the program ends.
TEST(Crash, pthread_exit) {
  const Report report = explore({}, where_one_is_seen([] { pthread_exit(nullptr); }));
  ASSERT_TRUE(report.violation) << report.to_text();
  EXPECT_EQ(report.violation->kind, ViolationKind::crash) << report.to_text();
}

TEST(Crash, exit_of_an_unwound_thread) {
  struct Leaver {
    ~Leaver() { std::exit(0); }
  };
  EXPECT_EXIT(explore({},
                      [] {
                        const Leaver leaver;
                        check(false, "unwinds");
                      }),
              testing::ExitedWithCode(1), "was called");
}

TEST(Crash, exit_elsewhere_is_as_before) {
  explore({}, [] {});
  EXPECT_EXIT(std::exit(7), testing::ExitedWithCode(7), "^$");
  EXPECT_EXIT(std::quick_exit(7), testing::ExitedWithCode(7), "^$");
  // A thread that is none of the program's.
  EXPECT_EXIT(explore({}, [] { std::thread([] { std::exit(7); }).join(); }),
              testing::ExitedWithCode(7), "^$");
}

/// How a process ends that the body forks to do so.
int status_of_a_fork(const std::function<void()>& leave) {
  int status = -1;
  explore({}, [&] {
    const pid_t child = fork();
    if (child == 0) leave();
    waitpid(child, &status, 0);
  });
  return status;
}

TEST(Crash, a_process_that_the_program_forks_ends_as_it_wants_to) {
  testing::internal::CaptureStderr();
  for (const std::function<void()>& leave :
       {std::function<void()>([] { std::exit(7); }), {[] { std::quick_exit(7); }}}) {
    const int status = status_of_a_fork(leave);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const int status = status_of_a_fork([] { raise(SIGTRAP); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP) << status;
}

volatile std::sig_atomic_t seen_signal = 0;
void see(int signal) {
  seen_signal = signal;
}

TEST(Crash, handlers_are_those_of_before) {
  const auto former = std::signal(SIGFPE, see);
  const std::terminate_handler terminates = std::get_terminate();
  expect_violation(ViolationKind::crash, where_one_is_seen([] { std::abort(); }));
  EXPECT_EQ(std::get_terminate(), terminates);
  // A thread that is none of the program's keeps them while a search runs, too.
  explore({}, [] { std::thread([] { raise(SIGFPE); }).join(); });
  EXPECT_EQ(seen_signal, SIGFPE);
  EXPECT_EQ(std::signal(SIGFPE, former), see);
}

}  // namespace
}  // namespace pto2::model
