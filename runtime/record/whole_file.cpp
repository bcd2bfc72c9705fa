#include "runtime/record/whole_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/record/trace_reader.hpp"

namespace pto2 {
namespace {

constexpr std::size_t step = std::size_t{1} << 16;

/// Of errno.
[[noreturn]] void fail() {
  if (errno == EISDIR) throw TraceError(0, "is a directory", "name the traces in it");
  throw TraceError(0, fmt::format("cannot be read: {}", std::strerror(errno)),
                   "check its name and its permissions");
}

/// Stdin stays open.
class Input {
 public:
  explicit Input(const std::string& path)
      : file_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail();
  }
  ~Input() {
    if (file_ != STDIN_FILENO) close(file_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// Bytes; 0: of a pipe, nobody knows.
  [[nodiscard]] std::size_t size() const {
    struct stat status {};
    const bool known = fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
    return known ? static_cast<std::size_t>(status.st_size) : 0;
  }

  /// Appends what there is, `step` bytes at most. False: it was the end.
  [[nodiscard]] bool read_into(std::string& text) const {
    const std::size_t before = text.size();
    text.resize(before + step);
    ssize_t got = -1;
    do {
      got = read(file_, text.data() + before, step);
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail();
    text.resize(before + static_cast<std::size_t>(got));
    return got != 0;
  }

 private:
  int file_;
};

}  // namespace

std::string read_whole(const std::string& path) {
  const Input input(path);
  std::string text;
  if (input.size() > text.max_size() - step) {
    throw TraceError(0, fmt::format("has {} bytes, more than a program can hold", input.size()),
                     "validate a shorter run");
  }
  text.reserve(input.size() + step);
  while (input.read_into(text)) {
  }
  return text;
}

}  // namespace pto2
