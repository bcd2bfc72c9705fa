#include "tests/cli/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/support/usual_signals.hpp"

namespace pto2::test {
namespace {

std::vector<char*> pointers(Strings& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Starts a program with its output going to two files.
pid_t spawn(const std::string& program, const Strings& arguments, const Strings& variables, int out,
            int err) {
  Strings command = {program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Strings environment = variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string variable = *at;
    const bool is_setting = variable.starts_with("PTO2_") || variable.starts_with("PA_");
    if (!is_setting || variable.starts_with("PTO2_MUTANT=")) environment.push_back(variable);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  have_usual_signals();  // it inherits what is ignored
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, pointers(command).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + program);
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What has been written to a file in memory.
std::string text_of(int file) {
  struct stat status = {};
  fstat(file, &status);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  if (got != static_cast<ssize_t>(text.size())) throw std::runtime_error("cannot read output");
  return text;
}

/// The same, of a file that is closed then.
std::string take_text(int file) {
  std::string text = text_of(file);
  close(file);
  return text;
}

/// All that is written to a terminal until nobody has it open.
std::string read_terminal(int terminal) {
  std::string text;
  char some[256];
  for (;;) {
    const ssize_t got = read(terminal, some, sizeof some);
    if (got <= 0) return text;
    text.append(some, static_cast<std::size_t>(got));
  }
}

}  // namespace

Outcome run_program(const std::string& program, const Strings& arguments,
                    const Strings& environment) {
  const int out = memfd_create("stdout", MFD_CLOEXEC);
  const int err = memfd_create("stderr", MFD_CLOEXEC);
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome;
  outcome.code = wait_for(spawn(program, arguments, environment, out, err));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.out = take_text(out);
  outcome.err = take_text(err);
  return outcome;
}

Outcome pto2(const Strings& arguments, const Strings& environment) {
  return run_program(PTO2_PROGRAM, arguments, environment);
}

Outcome pto2_within(int seconds, Strings arguments, const Strings& environment) {
  arguments.insert(arguments.begin(), {"-s", "KILL", std::to_string(seconds), PTO2_PROGRAM});
  return run_program("/usr/bin/timeout", arguments, environment);
}

Outcome pto2_on_terminal(const Strings& arguments) {
  const int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ours < 0 || grantpt(ours) != 0 || unlockpt(ours) != 0) {
    throw std::runtime_error("cannot make a terminal");
  }
  const int theirs = open(ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const int out = memfd_create("stdout", MFD_CLOEXEC);
  const pid_t pid = spawn(PTO2_PROGRAM, arguments, {}, out, theirs);
  close(theirs);
  Outcome outcome;
  outcome.err = read_terminal(ours);
  close(ours);
  outcome.code = wait_for(pid);
  outcome.out = take_text(out);
  return outcome;
}

bool eventually(const std::function<bool()>& holds) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

RunningProgram::RunningProgram(const Strings& arguments, const std::string& program)
    : out_(memfd_create("stdout", MFD_CLOEXEC)),
      err_(memfd_create("stderr", MFD_CLOEXEC)),
      pid_(spawn(program, arguments, {}, out_, err_)) {}

RunningProgram::~RunningProgram() {
  if (pid_ != -1) static_cast<void>(end_with(SIGKILL));
}

bool RunningProgram::has_ended() const {
  siginfo_t info = {};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == pid_;
}

bool RunningProgram::wait_until(const std::function<bool()>& holds) const {
  return eventually([&] { return has_ended() || holds(); }) && holds();
}

bool RunningProgram::blocks(int signal) const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string word; status >> word;) {
    if (word != "SigBlk:") continue;
    uint64_t mask = 0;
    status >> std::hex >> mask;
    return (mask >> (signal - 1) & 1) != 0;
  }
  return false;
}

bool RunningProgram::wait_for_text(const std::string& text) const {
  return wait_until([&] {
    return text_of(out_).find(text) != std::string::npos ||
           text_of(err_).find(text) != std::string::npos;
  });
}

bool RunningProgram::wait_for_work(double seconds) const {
  clockid_t clock{};
  if (clock_getcpuclockid(pid_, &clock) != 0) return false;
  const auto worked = [clock] {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double until = worked() + seconds;
  return wait_until([&] { return worked() >= until; });
}

void RunningProgram::send(int signal) const {
  kill(pid_, signal);
}

Outcome RunningProgram::end_with(int signal) {
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome;
  send(signal);
  if (!eventually([this] { return has_ended(); })) send(SIGKILL);
  outcome.code = wait_for(pid_);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.out = take_text(out_);
  outcome.err = take_text(err_);
  pid_ = -1;
  return outcome;
}

std::string images() {
  return (std::filesystem::path(PTO2_PROGRAM).parent_path().parent_path() / "workloads").string();
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "pto2-cli-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace pto2::test
