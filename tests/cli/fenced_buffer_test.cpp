#include "runtime/cli/fenced_buffer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace pto2::cli {
namespace {

/// Asks the system, so that nothing crashes.
class MemoryProbe {
 public:
  MemoryProbe() { EXPECT_EQ(pipe(ends_), 0); }
  ~MemoryProbe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  MemoryProbe(const MemoryProbe&) = delete;
  MemoryProbe& operator=(const MemoryProbe&) = delete;

  /// Writing to it as well as reading.
  bool allows(std::byte* at) const {
    return write(ends_[1], at, 1) == 1 && read(ends_[0], at, 1) == 1;
  }

 private:
  int ends_[2] = {};
};

TEST(FencedBuffer, EndsWhereNobodyMayGo) {
  const MemoryProbe probe;
  for (const uint64_t bytes : {1, 4, 64, 65, 4095, 4096, 4097, 65536, 1000000}) {
    const FencedBuffer buffer(bytes);
    auto* const first = buffer.as<std::byte>();
    std::byte* const end = first + (bytes + 63) / 64 * 64;
    EXPECT_EQ(buffer.bytes(), bytes);
    EXPECT_EQ(buffer.address() % 64, 0U);
    EXPECT_EQ(std::count(first, end, std::byte{0}), end - first);
    EXPECT_TRUE(probe.allows(first));
    EXPECT_TRUE(probe.allows(end - 1));
    EXPECT_FALSE(probe.allows(end)) << bytes;
  }
}

TEST(FencedBuffer, Moves) {
  const MemoryProbe probe;
  FencedBuffer former(100);
  const uint64_t address = former.address();
  const FencedBuffer buffer = std::move(former);
  EXPECT_EQ(buffer.address(), address);
  EXPECT_TRUE(probe.allows(buffer.as<std::byte>()));
}

TEST(FencedBuffer, IsRefusedIfItIsTooLarge) {
  for (const uint64_t bytes : {UINT64_MAX, UINT64_MAX - 63, UINT64_MAX - 4095, UINT64_MAX - 8191,
                               UINT64_MAX / 2, uint64_t{1} << 60}) {
    EXPECT_THROW(FencedBuffer{bytes}, std::bad_alloc) << bytes;
  }
}

}  // namespace
}  // namespace pto2::cli
