#include "runtime/executors/mapped_array.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

namespace pto2 {
namespace {

// Below and above the size from which memory is mapped.
constexpr std::size_t sizes[] = {1, 100, 4096, (1 << 20) - 1, 1 << 20, 8 << 20};

bool is_zero(const MappedBytes& bytes) {
  return std::all_of(bytes.data(), bytes.data() + bytes.size(),
                     [](std::byte b) { return b == std::byte{0}; });
}

/// Whether the page of this address is part of the process.
bool is_there(const void* address) {
  unsigned char resident = 0;
  const auto page = reinterpret_cast<uintptr_t>(address) & ~uintptr_t{4095};
  return mincore(reinterpret_cast<void*>(page), 1, &resident) == 0 || errno != ENOMEM;
}

TEST(MappedBytes, AreZeroAndAligned) {
  for (const std::size_t size : sizes) {
    const MappedBytes bytes(size);
    EXPECT_EQ(bytes.size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % 64, 0U);
    EXPECT_TRUE(is_zero(bytes));
  }
  EXPECT_EQ(MappedBytes().size(), 0U);
  EXPECT_EQ(MappedBytes(0).size(), 0U);
}

TEST(MappedBytes, MoveWithTheirSize) {
  for (const std::size_t size : sizes) {
    MappedBytes from(size);
    from.data()[size - 1] = std::byte{7};
    MappedBytes to(std::move(from));
    EXPECT_EQ(to.size(), size);
    MappedBytes assigned;
    assigned = std::move(to);
    EXPECT_EQ(assigned.size(), size);
    EXPECT_EQ(assigned.data()[size - 1], std::byte{7});
  }
}

TEST(MappedBytes, AreGivenBackByWhoHasThemLast) {
  constexpr std::size_t size = 1 << 20;
  const std::byte* last = nullptr;
  {
    MappedBytes assigned(100);
    assigned = MappedBytes(size);
    assigned.data()[size - 1] = std::byte{7};
    last = assigned.data() + size - 1;
    EXPECT_TRUE(is_there(last));
  }
  EXPECT_FALSE(is_there(last));
}

TEST(MappedArray, HasAsManyElementsAsWereAsked) {
  MappedArray<uint64_t> array(1000);
  array[999] = 5;
  EXPECT_EQ(array.span().size(), 1000U);
  MappedArray<uint64_t> assigned;
  assigned = std::move(array);
  EXPECT_EQ(assigned.span().size(), 1000U);
  EXPECT_EQ(assigned[999], 5U);
}

TEST(MappedArray, RefusesASizePastTheAddressSpace) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(MappedArray<uint64_t>(most / 8 + 1), std::bad_array_new_length);
  EXPECT_THROW(MappedArray<uint64_t>(most / 16), std::bad_alloc);
}

}  // namespace
}  // namespace pto2
