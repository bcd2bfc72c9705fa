/// A file of results that is opened before the work whose results it takes.
///
/// It appears, or takes the place of the one of its name, once it is whole. A program that ends
/// before that, by a signal or otherwise, leaves nothing behind, and what there was as it was,
/// unless it has removed that.
/// A file that stays where it is, because it is a mount of its own, or somebody else's in a folder
/// such as /tmp, is written over then.
/// Pipes and devices, and files where the file system cannot do this, are written as the texts
/// come; and so is, behind what it has, a file that is open already: that stdout or stderr is, by
/// whatever name, or that a link into /proc names (/dev/fd/3).
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// A file of results cannot be written or replaced, whatever work is still to be done for it.
class OutputError : public CliError {
 public:
  using CliError::CliError;
};

/// For options that name a file: why `path` does not; empty if it does. A script whose variable is
/// not set passes nothing.
[[nodiscard]] std::string refusal_of_file_name(const std::string& path);

/// Whether two options name the same file, by whatever path or link, or both stdout ("-" is what
/// stdout is at the moment). The file need not be there. Two names of a device, /dev/null or a
/// terminal, are not the same, unless both are names of what is open, as /dev/stdout is: two
/// results are not mixed in what keeps none.
[[nodiscard]] bool is_same_file(const std::string& a, const std::string& b);

class OutputFile {
 public:
  /// Opens `path` for writing, "-" for `standard`. `content` is what errors call it: "the trace".
  /// Throws OutputError (bad input) if that is impossible.
  explicit OutputFile(const std::string& path, std::string content = "the result",
                      std::FILE* standard = stdout);

  /// Removes what there is under its name, or its text, so that nobody takes it for this one.
  /// Throws OutputError (bad input) if that is impossible.
  void remove_former() const;
  /// The same where a process that was forked since has written to this one, too, and has ended:
  /// opens it anew, but a pipe, whose reader may be gone. Throws OutputError (bad input).
  void begin_again();
  void write(std::string_view text);
  /// Flushes, closes, and puts the file in its place. Throws OutputError (bad input) if anything
  /// could not be written; what there was stays then, if it was to be replaced.
  void finish();
  bool is_stdout() const { return path_ == stdout_name; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail(const char* what) const;
  void open_file();
  void open_in_place();
  [[nodiscard]] bool own(int file);
  bool open_nameless();
  void put_in_place();
  void empty();

  static constexpr const char* stdout_name = "standard output";
  std::string path_;
  std::string content_;
  std::FILE* standard_;
  std::unique_ptr<std::FILE, Closer> owned_;  ///< null: `standard_`
  std::string target_;                        ///< of a file without a name yet; empty: it has one
  std::optional<mode_t> rights_;              ///< of the file that there was; none: the usual ones
  bool to_empty_ = false;  ///< of a former text, when the first of this one comes
  int error_ = 0;          ///< errno of the first text that could not be written
};

}  // namespace pto2::cli
