#include "tests/fuzz/fuzz_input.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace pto2::fuzz {
namespace {

void require(bool done, const char* what) {
  if (!done) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

MemoryFile::MemoryFile() : file_(memfd_create("input", MFD_CLOEXEC)) {
  require(file_ >= 0, "memfd_create");
  path_ = "/proc/self/fd/" + std::to_string(file_);
}

MemoryFile::~MemoryFile() {
  close(file_);
}

void MemoryFile::write(std::string_view content) {
  require(ftruncate(file_, 0) == 0, "ftruncate");
  const auto written = pwrite(file_, content.data(), content.size(), 0);
  require(written == static_cast<ssize_t>(content.size()), "pwrite");
}

void report(const std::string& finding) {
  std::fprintf(stderr, "%s\n", finding.c_str());
  std::abort();
}

}  // namespace pto2::fuzz
