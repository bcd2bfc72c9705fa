/// Runs the built program and catches what it says.
#pragma once

#include <sys/types.h>

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
/// settings of pto2 (PTO2_.., PA_..) are left out.
Outcome run_program(const std::string& program, const Strings& arguments,
                    const Strings& environment = {});

/// The same for pto2.
Outcome pto2(const Strings& arguments, const Strings& environment = {});

/// A pto2 that is running, with its output thrown away.
class RunningProgram {
 public:
  explicit RunningProgram(const Strings& arguments);
  /// Sends a signal, waits for the end and returns the code as in Outcome.
  int end_with(int signal);

 private:
  pid_t pid_;
};

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
