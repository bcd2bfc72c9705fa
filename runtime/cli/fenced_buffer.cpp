#include "runtime/cli/fenced_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace pto2::cli {
namespace {

constexpr std::size_t cache_line = 64;

/// Throws std::bad_alloc.
std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(bytes, unit - 1, &sum)) throw std::bad_alloc();
  return sum / unit * unit;
}

}  // namespace

void FencedBuffer::Unmap::operator()(std::byte* begin) const {
  munmap(begin, bytes);
}

FencedBuffer::FencedBuffer(uint64_t bytes) : bytes_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t lines = rounded_up(bytes, cache_line);
  const std::size_t fence = rounded_up(lines, page);
  std::size_t all = 0;
  if (__builtin_add_overflow(fence, page, &all)) throw std::bad_alloc();
  void* const memory =
      mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  pages_ = {static_cast<std::byte*>(memory), Unmap{all}};
  if (mprotect(pages_.get() + fence, page, PROT_NONE) != 0) throw std::bad_alloc();
  data_ = pages_.get() + (fence - lines);
}

}  // namespace pto2::cli
