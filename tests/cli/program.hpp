/// Runs the built program and catches what it says.
#pragma once

#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pto2::test {

struct Outcome {
  int code = -1;  ///< exit code; 128 + number for a signal
  std::string out;
  std::string err;
  double seconds = 0;

  /// Standard output as JSON; null if it is none.
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

using Strings = std::vector<std::string>;

/// Runs a program with the variables "NAME=VALUE" beside those of this process, of which the
/// settings of pto2 (PTO2_.., PA_..) are left out, but for the choice of a mutant.
Outcome run_program(const std::string& program, const Strings& arguments,
                    const Strings& environment = {});

/// The same for pto2.
Outcome pto2(const Strings& arguments, const Strings& environment = {});

/// The same, killed after that many seconds: what might not end fails then, and keeps nobody.
Outcome pto2_within(int seconds, Strings arguments, const Strings& environment = {});

/// The same, where stderr is a terminal; `err` has what came there.
Outcome pto2_on_terminal(const Strings& arguments);

/// Waits until `holds`, a minute at most. False if it does not by then.
[[nodiscard]] bool eventually(const std::function<bool()>& holds);

/// A program that is running. One that has not been waited for is killed in the end.
class RunningProgram {
 public:
  /// Starts a program as run_program does, pto2 by default.
  explicit RunningProgram(const Strings& arguments, const std::string& program = PTO2_PROGRAM);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// As eventually(), but the wait is over when the program is.
  [[nodiscard]] bool wait_until(const std::function<bool()>& holds) const;
  /// The same for `text` in what it has written to stdout or stderr.
  [[nodiscard]] bool wait_for_text(const std::string& text) const;
  /// Waits until it has done this much more, in seconds of processor time.
  [[nodiscard]] bool wait_for_work(double seconds) const;
  /// Whether its main thread blocks a signal.
  [[nodiscard]] bool blocks(int signal) const;

  [[nodiscard]] bool has_ended() const;

  void send(int signal) const;
  /// Sends a signal and waits for the end; Outcome::seconds are those in between.
  Outcome end_with(int signal);

 private:
  int out_;
  int err_;
  pid_t pid_;  ///< -1 once it has been waited for
};

/// False: a sanitizer reserves more address space than a limit (ulimit -v) would leave.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_space_is_ours = false;
#else
inline constexpr bool address_space_is_ours = true;
#endif

/// Folder of the workloads' images.
std::string images();

/// A folder that is removed with its content.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name = "") const { return path_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

/// Content of a file; empty if there is none.
std::string read_text(const std::string& path);

}  // namespace pto2::test
