#include "runtime/loader/sealed_image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/loader/load_error.hpp"

namespace pto2 {
namespace {

[[noreturn]] void fail_with_errno(const std::string& path, const char* what) {
  throw LoadError(path, std::string(what) + ": " + std::strerror(errno),
                  "free memory or file descriptors (ulimit -n), or allow larger files (ulimit -f), "
                  "and try again");
}

FileDescriptor sealed_copy(std::span<const std::byte> bytes, const std::string& path) {
  const size_t slash = path.find_last_of('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  FileDescriptor file(::memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) fail_with_errno(path, "no anonymous file for its copy");
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_with_errno(path, "its copy cannot be written");
    done += static_cast<size_t>(n);
  }
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) !=
      0) {
    fail_with_errno(path, "its copy cannot be sealed");
  }
  return file;
}

}  // namespace

SealedImage::SealedImage(std::span<const std::byte> bytes, const std::string& path)
    : file_(sealed_copy(bytes, path)), name_("/proc/self/fd/" + std::to_string(file_.get())) {
  if (bytes.empty()) return;  // which cannot be mapped
  void* const begin = ::mmap(nullptr, bytes.size(), PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (begin == MAP_FAILED) fail_with_errno(path, "its copy cannot be read");
  bytes_ = {static_cast<const std::byte*>(begin), bytes.size()};
}

SealedImage::~SealedImage() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace pto2
