#include "runtime/output/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  const int error = errno;
  throw CliError(exit_bad_input, fmt::format("{}: {}: {}; name a file in a folder that you may "
                                             "write, on a disk with room",
                                             path, what, std::strerror(error)));
}

/// A path without links and dots, also of a file that is not there yet.
fs::path resolved(const std::string& name) {
  constexpr int most_links = 40;  // so many are followed when a file is opened
  std::error_code none;
  fs::path path = fs::absolute(name, none);
  // A link to a file that is not there yet.
  for (int i = 0; i < most_links && fs::is_symlink(path, none) && !fs::exists(path, none); ++i) {
    path = path.parent_path() / fs::read_symlink(path, none);
  }
  const fs::path canonical = fs::weakly_canonical(path, none);
  return canonical.empty() ? path : canonical;
}

}  // namespace

std::string refusal_of_file_name(const std::string& path) {
  return path.empty() ? "an empty name; name a file, or leave the option out" : "";
}

bool is_same_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  std::error_code none;
  return fs::equivalent(a, b, none) || resolved(a) == resolved(b);
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    path_ = stdout_name;
    return;
  }
  constexpr mode_t readable_and_writable = 0666;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, readable_and_writable);
  if (file >= 0) owned_.reset(fdopen(file, "w"));
  if (!owned_) fail(path_, "cannot be written");
}

/// Not at all a pipe or a device.
void OutputFile::empty() {
  if (owned_ && !emptied_) (void)!ftruncate(fileno(owned_.get()), 0);
  emptied_ = true;
}

void OutputFile::write(std::string_view text) {
  empty();
  std::fwrite(text.data(), 1, text.size(), owned_ ? owned_.get() : stdout);
}

void OutputFile::finish() {
  empty();
  std::FILE* const file = owned_ ? owned_.get() : stdout;
  if (std::fflush(file) != 0 || std::ferror(file) != 0) fail(path_, "could not be written");
  owned_.reset();
}

}  // namespace pto2::cli
