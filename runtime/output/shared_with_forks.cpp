#include "runtime/output/shared_with_forks.hpp"

#include <sys/mman.h>

namespace pto2::cli {

void* map_shared(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void unmap_shared(void* memory, std::size_t bytes) {
  munmap(memory, bytes);
}

}  // namespace pto2::cli
