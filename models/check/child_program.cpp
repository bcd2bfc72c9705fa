#include "models/check/child_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace pto2::scenarios {
namespace {

constexpr int exit_not_executed = 127;

/// What the child does between fork and exec: nothing that other threads could have locked.
[[noreturn]] void become(char* const* arguments, int out, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(exit_not_executed);
  setpgid(0, 0);  // a terminal's Ctrl-C is for the parent alone, which passes it on
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(out, STDOUT_FILENO);
  dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
  execv(arguments[0], arguments);
  _exit(exit_not_executed);
}

std::string text_from(int file) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n = read(file, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

[[noreturn]] void fail(const std::string& program) {
  throw std::runtime_error("cannot start " + program + ": " + std::strerror(errno));
}

}  // namespace

std::string output_of(std::vector<std::string> command, const std::stop_token& stop) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(command[0]);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(arguments.data(), ends[1], parent);
  close(ends[1]);
  std::string text;
  if (pid > 0) {
    // The process is waited for before it is reaped: until then its number is its own.
    const std::stop_callback end(stop, [pid] { kill(pid, SIGKILL); });
    text = text_from(ends[0]);
    siginfo_t ignored;
    while (waitid(P_PID, static_cast<id_t>(pid), &ignored, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
  }
  close(ends[0]);
  if (pid < 0) fail(command[0]);
  waitpid(pid, nullptr, 0);
  return text;
}

}  // namespace pto2::scenarios
