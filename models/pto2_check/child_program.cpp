#include "models/pto2_check/child_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include "runtime/output/descriptor.hpp"
#include "runtime/output/ends_of_forks.hpp"

namespace pto2::scenarios {
namespace {

using Clock = std::chrono::steady_clock;
using cli::Descriptor;

constexpr int exit_not_executed = 127;
constexpr std::size_t most_text = std::size_t{16} << 20;
/// Of one call of read_some(). A full pipe is empty after them.
constexpr int most_reads = 16;

/// What the child does between fork and exec: nothing that other threads could have locked.
[[noreturn]] void become(char* const* arguments, int out, Catch what, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(exit_not_executed);
  setpgid(0, 0);  // a terminal's Ctrl-C is for the parent alone, which passes it on
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(out, STDOUT_FILENO);
  if (what == Catch::output) out = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(out, STDERR_FILENO);
  std::signal(SIGXFSZ, SIG_DFL);  // ignored here alone (guarded.hpp)
  std::signal(SIGINT, SIG_DFL);   // which shells have background jobs ignore
  execv(arguments[0], arguments);
  _exit(exit_not_executed);
}

[[noreturn]] void fail(const std::string& program) {
  throw std::system_error(errno, std::generic_category(), "cannot start " + program);
}

/// Starts the program with its output going to `out`; the leader of its process group.
pid_t start(std::vector<std::string>& command, int out, Catch what) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail(command[0]);
  if (pid == 0) become(arguments.data(), out, what, parent);
  setpgid(pid, pid);  // whichever of the two comes first: from here on the group can be killed
  return pid;
}

/// Of the call that has just failed.
[[noreturn]] void fail_to_wait() {
  throw std::system_error(errno, std::generic_category(), "cannot wait for a process");
}

/// Readable once the child has ended. glibc 2.36 declares its own wrapper without C linkage.
int end_of(pid_t pid) {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor < 0) fail_to_wait();
  return descriptor;
}

/// Appends what can be read without waiting, or the first part of it: a program that prints as fast
/// as it is read must not keep the caller from looking at the time. False: there will be no more.
bool read_some(int input, std::string& text) {
  std::array<char, 65536> buffer;
  for (int i = 0; i < most_reads; ++i) {
    const ssize_t got = read(input, buffer.data(), buffer.size());
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    // A program that never stops printing must not fill the memory.
    text.append(buffer.data(), std::min(static_cast<std::size_t>(got), most_text - text.size()));
  }
  return true;
}

/// Catches the output until the process has ended. False: the time was up first.
bool follow(const Descriptor& process, Descriptor& input, Clock::time_point limit,
            std::string& text) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
    if (left <= 0) return false;
    // poll() passes over what has been closed.
    std::array<pollfd, 2> events{pollfd{process.number(), POLLIN, 0},
                                 pollfd{input.number(), POLLIN, 0}};
    const int ready = poll(events.data(), events.size(), static_cast<int>(left));
    if (ready < 0 && errno != EINTR) fail_to_wait();
    if (ready <= 0) continue;
    if (events[1].revents != 0 && !read_some(input.number(), text)) input.close();
    if (events[0].revents == 0) continue;
    if (input.number() >= 0) read_some(input.number(), text);
    return true;
  }
}

}  // namespace

ChildResult run_child(std::vector<std::string> command, Catch what, double max_seconds,
                      const std::stop_token& stop) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(command[0]);
  Descriptor input(ends[0]);
  Descriptor output(ends[1]);
  fcntl(input.number(), F_SETFL, O_NONBLOCK);
  const auto begin = Clock::now();
  const auto limit = begin + std::chrono::milliseconds(static_cast<int64_t>(1000 * max_seconds));
  const pid_t pid = start(command, output.number(), what);
  output.close();
  ChildResult result;
  try {
    // The process is reaped after this: until then its number is its own.
    const std::stop_callback end(stop, [pid] { kill(-pid, SIGKILL); });
    const Descriptor process(end_of(pid));
    result.timed_out = !follow(process, input, limit, result.text);
  } catch (...) {  // or there is no memory for the text
    kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    throw;
  }
  kill(-pid, SIGKILL);
  const int status = cli::status_of(pid);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

}  // namespace pto2::scenarios
