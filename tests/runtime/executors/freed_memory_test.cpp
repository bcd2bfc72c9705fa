#include "runtime/executors/freed_memory.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace pto2::executors {
namespace {

/// Bytes that the process still has, of what it allocates here and frees.
std::size_t bytes_kept() {
  constexpr std::size_t block = std::size_t{8} << 20;
  const std::size_t before = mallinfo2().fordblks;
  std::vector<void*> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(std::malloc(block));
  for (void* memory : blocks) std::free(memory);
  const std::size_t after = mallinfo2().fordblks;
  return after > before ? after - before : 0;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(FreedMemory, StaysWithTheProcess) {
  // What the library does by itself, whatever it was told when the test began.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  mallopt(M_TOP_PAD, 0);
  EXPECT_LT(bytes_kept(), std::size_t{1} << 20);
  keep_freed_memory();
  EXPECT_GE(bytes_kept(), std::size_t{24} << 20);
}
#endif

}  // namespace
}  // namespace pto2::executors
