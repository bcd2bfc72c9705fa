#include "tests/cli/program.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

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
    if (!variable.starts_with("PTO2_") && !variable.starts_with("PA_")) {
      environment.push_back(variable);
    }
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
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

/// What was written to a file in memory, which is closed.
std::string take_text(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  close(file);
  if (got != static_cast<ssize_t>(text.size())) throw std::runtime_error("cannot read output");
  return text;
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

RunningProgram::RunningProgram(const Strings& arguments) {
  const int sink = memfd_create("sink", MFD_CLOEXEC);
  pid_ = spawn(PTO2_PROGRAM, arguments, {}, sink, sink);
  close(sink);
}

int RunningProgram::end_with(int signal) {
  kill(pid_, signal);
  return wait_for(pid_);
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
