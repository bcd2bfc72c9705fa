#include "runtime/loader/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/loader/file_descriptor.hpp"
#include "runtime/loader/load_error.hpp"

namespace pto2 {
namespace {

uint64_t checked_file_size(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    throw LoadError(path, std::string("cannot be examined: ") + std::strerror(errno),
                    "check the file system it is on");
  }
  if (!S_ISREG(status.st_mode)) {
    throw LoadError(path, S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file",
                    "name a shared object");
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size == 0) throw LoadError(path, "is empty", "build it again");
  if (size > max_image_bytes) {
    throw LoadError(path, "has " + std::to_string(size) + " bytes, more than 1 GiB",
                    "name a shared object; strip it if it is one");
  }
  return size;
}

}  // namespace

std::vector<std::byte> read_file_bytes(const std::string& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    throw LoadError(path, std::string("cannot be opened: ") + std::strerror(errno),
                    "check the path and its permissions");
  }
  std::vector<std::byte> bytes(checked_file_size(file.get(), path));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw LoadError(path, std::string("cannot be read: ") + std::strerror(errno),
                      "check the file system it is on");
    }
    if (n == 0) {
      throw LoadError(path, "became shorter while it was read", "let its build finish first");
    }
    done += static_cast<size_t>(n);
  }
  return bytes;
}

}  // namespace pto2
