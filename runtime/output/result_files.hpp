/// The results of a program as text on stdout, JSON and JUnit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/output/junit.hpp"
#include "runtime/output/output_file.hpp"

namespace pto2::cli {

class ResultFiles {
 public:
  /// Opens what `--json` and `--junit` name. Empty names: not wanted; "-": stdout, which has no
  /// text then. Throws CliError.
  ResultFiles(const std::string& json, const std::string& junit);

  /// Text for people, at once.
  void print(const std::string& text) const;
  /// Writes the files that are wanted and puts them in their places. `json_text` is called if JSON
  /// is; `suite`, `cases` and `interrupted` are junit_text()'s.
  void finish(const std::function<std::string()>& json_text, const std::string& suite,
              const std::vector<JunitCase>& cases, bool interrupted);

 private:
  bool text_;
  std::optional<OutputFile> json_;
  std::optional<OutputFile> junit_;
};

}  // namespace pto2::cli
