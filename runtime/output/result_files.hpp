/// The results of a program: text on stdout, and the files that options name. Whatever writes one
/// opens it here before the work, and finishes it here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/output/exit_codes.hpp"
#include "runtime/output/junit.hpp"
#include "runtime/output/output_file.hpp"
#include "runtime/output/reserved_stdout.hpp"

namespace pto2::cli {

/// What --json, --junit and --trace name. Empty: not wanted; "-": stdout, which has nothing else
/// then: no text, and what others print there goes to stderr.
struct ResultNames {
  std::string json = {};
  std::string junit = {};
  std::string trace = {};
};

/// What cannot be written keeps nothing else from being written: the error is thrown by finish(),
/// which comes last. Each error names its file.
class ResultFiles {
 public:
  /// Opens the files. Throws CliError: bad input, or usage if two names are of one file.
  explicit ResultFiles(const ResultNames& names);
  ResultFiles(const std::string& json, const std::string& junit)
      : ResultFiles(ResultNames{.json = json, .junit = junit}) {}

  /// The run begins: removes the files that there are of earlier ones. Throws OutputError (bad
  /// input).
  void remove_former() const;
  /// The process has ended that had these files, too, and was to write them: removes what it has
  /// written, as far as that can be, and earlier files. Throws CliError (bad input).
  void begin_again();
  /// The trace, for who has it to write; null if none is wanted.
  [[nodiscard]] OutputFile* trace() { return trace_ ? &*trace_ : nullptr; }
  /// It is written: puts it in its place. Requires that one is wanted.
  void finish_trace();
  /// Whether text is printed: stdout is for nothing else.
  [[nodiscard]] bool has_text() const { return text_; }
  /// Text for people, at once.
  void print(const std::string& text);
  /// Writes JSON, if it is wanted, and puts it in its place. `json_text` is called if so. Throws
  /// the first CliError (bad input) that there was, here or before.
  void finish(const std::function<std::string()>& json_text);
  /// The same without JSON.
  void finish() const;
  /// The same, with JUnit; `suite`, `cases` and `interrupted` are junit_text()'s.
  void finish(const std::function<std::string()>& json_text, const std::string& suite,
              const std::vector<JunitCase>& cases, bool interrupted);

 private:
  template <class Step>
  void attempt(Step&& step);
  void finish_json(const std::function<std::string()>& json_text);

  bool text_;
  std::optional<ReservedStdout> reserved_;  ///< for one of these
  std::optional<OutputFile> json_;
  std::optional<OutputFile> junit_;
  std::optional<OutputFile> trace_;
  std::optional<CliError> error_;  ///< the first
};

}  // namespace pto2::cli
