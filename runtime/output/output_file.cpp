#include "runtime/output/output_file.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  const int error = errno;
  throw CliError(exit_bad_input, fmt::format("{}: {}: {}; name a file in a folder that you may "
                                             "write, on a disk with room",
                                             path, what, std::strerror(error)));
}

}  // namespace

std::string refusal_of_file_name(const std::string& path) {
  return path.empty() ? "an empty name; name a file, or leave the option out" : "";
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    path_ = stdout_name;
    return;
  }
  owned_.reset(std::fopen(path.c_str(), "we"));
  if (!owned_) fail(path_, "cannot be written");
}

void OutputFile::write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), owned_ ? owned_.get() : stdout);
}

void OutputFile::finish() {
  std::FILE* const file = owned_ ? owned_.get() : stdout;
  if (std::fflush(file) != 0 || std::ferror(file) != 0) fail(path_, "could not be written");
  owned_.reset();
}

}  // namespace pto2::cli
