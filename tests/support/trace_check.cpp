#include "tests/support/trace_check.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "runtime/trace/trace_writer.hpp"
#include "runtime/validate/trace_reader.hpp"
#include "runtime/validate/validate.hpp"

namespace pto2::test {

namespace {

/// A file that nobody else writes, gone with this object.
struct OwnFile {
  OwnFile() = default;
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  ~OwnFile() { std::filesystem::remove(path); }

  static std::string next_name() {
    static std::atomic<uint64_t> files{0};
    return fmt::format("pto2-trace-{}-{}.jsonl", ::getpid(), files.fetch_add(1));
  }

  std::string path = std::filesystem::temp_directory_path() / next_name();
};

}  // namespace

void write_trace_to(const std::function<void(std::string_view)>& write, const DeviceConfig& config,
                    const RunResult& result) {
  const TraceSource source{.config = config,
                           .result = result,
                           .labels = {},
                           .kernel_names = {},
                           .points = result.points != 0,
                           .seed = {}};
  (void)write_trace(source, write);
}

std::vector<std::string> trace_problems(const DeviceConfig& config, const RunResult& result) {
  const OwnFile file;
  {
    std::ofstream stream(file.path);
    write_trace_to([&](std::string_view text) { stream << text; }, config, result);
  }
  std::vector<std::string> problems;
  try {
    for (const auto& violation :
         validation::judge(validation::read_trace(file.path), false).violations) {
      problems.push_back(
          fmt::format("trace, line {}: {}: {}", violation.line, violation.rule, violation.text));
    }
  } catch (const validation::TraceError& error) {
    problems.push_back(fmt::format("trace, line {}: {}", error.line(), error.what()));
  }
  return problems;
}

}  // namespace pto2::test
