/// A file of results that is opened before the work whose results it takes.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace pto2::cli {

/// For options that name a file: why `path` does not; empty if it does. A script whose variable is
/// not set passes nothing.
[[nodiscard]] std::string refusal_of_file_name(const std::string& path);

/// Whether two options name the same file, by whatever path or link, or both stdout ("-"). The file
/// need not be there.
[[nodiscard]] bool is_same_file(const std::string& a, const std::string& b);

class OutputFile {
 public:
  /// Opens `path` for writing, "-" for stdout. What the file holds stays until there is a result.
  /// Throws CliError (bad input).
  explicit OutputFile(const std::string& path);

  /// The first text takes the place of what the file held.
  void write(std::string_view text);
  /// Flushes and closes. Throws CliError (bad input) if anything could not be written.
  void finish();
  bool is_stdout() const { return path_ == stdout_name; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void empty();

  static constexpr const char* stdout_name = "standard output";
  std::string path_;
  std::unique_ptr<std::FILE, Closer> owned_;  ///< null: stdout
  bool emptied_ = false;
};

}  // namespace pto2::cli
