#include "runtime/executors/kept_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/executors/mapped_array.hpp"

namespace pto2 {
namespace {

// Without huge pages, and with them.
constexpr std::size_t kept_sizes[] = {KeptMemory::smallest, 1 << 20, 8 << 20};

void write(const KeptMemory::Block& block, std::size_t bytes) {
  std::memset(block.data, 7, bytes);
}

bool is_clear(const KeptMemory::Block& block) {
  return std::all_of(block.data, block.data + block.bytes,
                     [](std::byte b) { return b == std::byte{0}; });
}

bool is_resident(const void* address) {
  const auto page = reinterpret_cast<uintptr_t>(address) / 4096 * 4096;
  unsigned char resident = 0;
  if (mincore(reinterpret_cast<void*>(page), 1, &resident) == 0) return (resident & 1) != 0;
  if (errno == ENOMEM) return false;  // it is not mapped
  throw std::system_error(errno, std::generic_category(), "mincore");
}

/// Whether the mapping that holds `address` is to have huge pages, by the system's own list.
bool wants_huge_pages(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool is_the_one = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_the_one = begin <= wanted && wanted < end;
    } else if (is_the_one && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return false;
}

/// Little is written at the front, in most runs.
TEST(KeptMemory, AMappingHasHugePagesBehindItsFirstMebibyte) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) GTEST_SKIP();
  KeptMemory memory;
  const KeptMemory::Block block = memory.take(8 << 20);
  EXPECT_FALSE(wants_huge_pages(block.data + (1 << 20) - 1));
  EXPECT_TRUE(wants_huge_pages(block.data + (1 << 20)));
  EXPECT_TRUE(wants_huge_pages(block.data + (8 << 20) - 1));
  KeptMemory::give_back(block);
}

/// Who has written 5 MiB may have all pages of seven.
TEST(KeptMemory, HugePagesCountWhole) {
  KeptMemory memory;
  const std::size_t written = 5 << 20;
  std::vector<KeptMemory::Block> pieces;
  for (int i = 0; i < 12; ++i) pieces.push_back(memory.take(8 << 20));
  for (const KeptMemory::Block& piece : pieces) memory.keep(piece, written);
  EXPECT_EQ(memory.blocks(), KeptMemory::most_resident / (written + (2 << 20)));
}

TEST(KeptMemory, APieceThatCameBackIsTheNextAndClear) {
  for (const std::size_t size : kept_sizes) {
    KeptMemory memory;
    const KeptMemory::Block first = memory.take(size);
    write(first, 5000);
    memory.keep(first, 5000);
    EXPECT_TRUE(memory.invariant_holds());
    const KeptMemory::Block second = memory.take(size);
    EXPECT_EQ(second.data, first.data);
    EXPECT_TRUE(is_clear(second));
    EXPECT_EQ(memory.blocks(), 0U);
    KeptMemory::give_back(second);
  }
}

TEST(KeptMemory, ItsPagesStay) {
  KeptMemory memory;
  const KeptMemory::Block block = memory.take(8 << 20);
  write(block, 5000);
  memory.keep(block, 5000);
  EXPECT_TRUE(is_resident(block.data));
  EXPECT_FALSE(is_resident(block.data + (7 << 20)));
}

/// Most runs use few of the entries that their arrays have.
TEST(KeptMemory, NewPiecesHaveNoPages) {
  for (const std::size_t size : kept_sizes) {
    KeptMemory memory;
    const KeptMemory::Block block = memory.take(size);
    EXPECT_FALSE(is_resident(block.data)) << size;
    EXPECT_FALSE(is_resident(block.data + size - 4096)) << size;
    KeptMemory::give_back(block);
  }
}

TEST(KeptMemory, NobodyGetsWhatAnotherHas) {
  KeptMemory memory;
  std::vector<KeptMemory::Block> taken;
  for (int i = 0; i < 3; ++i) taken.push_back(memory.take(1 << 20));
  for (const auto& block : taken) memory.keep(block, 100);
  EXPECT_EQ(memory.blocks(), 3U);
  std::set<std::byte*> places;
  for (int i = 0; i < 5; ++i) places.insert((taken.emplace_back(memory.take(1 << 20))).data);
  EXPECT_EQ(places.size(), 5U);
  for (std::size_t i = 3; i < taken.size(); ++i) KeptMemory::give_back(taken[i]);
}

/// Its lines may be in a cache yet.
TEST(KeptMemory, TheNewestIsTheNext) {
  KeptMemory memory;
  const KeptMemory::Block older = memory.take(1 << 20);
  const KeptMemory::Block newer = memory.take(1 << 20);
  memory.keep(older, 100);
  memory.keep(newer, 100);
  const KeptMemory::Block next = memory.take(1 << 20);
  EXPECT_EQ(next.data, newer.data);
  KeptMemory::give_back(next);
}

TEST(KeptMemory, AnotherSizeIsAnotherPiece) {
  KeptMemory memory;
  memory.keep(memory.take(2 << 20), 0);
  const KeptMemory::Block smaller = memory.take(1 << 20);
  EXPECT_EQ(smaller.bytes, std::size_t{1} << 20);
  EXPECT_EQ(memory.blocks(), 1U);
  KeptMemory::give_back(smaller);
}

/// Up to an eighth apart. The larger one can be used to its end.
TEST(KeptMemory, NearlyTheSameSizeIsTheSamePiece) {
  constexpr std::size_t step = (std::size_t{1} << 20) / 8;
  constexpr std::size_t most = (std::size_t{1} << 20) + step;
  KeptMemory memory;
  const KeptMemory::Block small = memory.take(most - step + 1);
  write(small, small.bytes);
  memory.keep(small, small.bytes);
  EXPECT_TRUE(memory.invariant_holds());
  const KeptMemory::Block large = memory.take(most);
  EXPECT_EQ(large.data, small.data);
  EXPECT_EQ(large.bytes, most);
  EXPECT_TRUE(is_clear(large));
  write(large, large.bytes);
  memory.keep(large, large.bytes);
  for (const std::size_t other : {most - step, most + 1}) {
    const KeptMemory::Block block = memory.take(other);
    EXPECT_NE(block.data, small.data) << other;
    KeptMemory::give_back(block);
  }
  const KeptMemory::Block again = memory.take(small.bytes);
  EXPECT_EQ(again.bytes, small.bytes);
  KeptMemory::give_back(again);
  EXPECT_FALSE(is_resident(small.data + most - 1));
}

TEST(KeptMemory, ASizeThatCannotBeIsRefused) {
  KeptMemory memory;
  EXPECT_THROW((void)memory.take(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW((void)memory.take(SIZE_MAX / 8 * 7 + 1), std::bad_alloc);
}

TEST(KeptMemory, SmallPiecesAreNotKept) {
  KeptMemory memory;
  for (const std::size_t bytes : {std::size_t{1}, KeptMemory::smallest - 1}) {
    memory.keep(memory.take(bytes), 0);
  }
  EXPECT_EQ(memory.blocks(), 0U);
}

TEST(KeptMemory, ItKeepsNoMoreThanSoManyPieces) {
  KeptMemory memory;
  std::vector<KeptMemory::Block> taken;
  for (std::size_t i = 0; i < KeptMemory::most_blocks + 2; ++i)
    taken.push_back(memory.take(1 << 20));
  for (const auto& block : taken) memory.keep(block, 4096);
  EXPECT_EQ(memory.blocks(), KeptMemory::most_blocks);
  EXPECT_FALSE(is_resident(taken[0].data)) << "the oldest go";
  EXPECT_FALSE(is_resident(taken[1].data));
  EXPECT_TRUE(is_resident(taken[2].data));
  EXPECT_TRUE(memory.invariant_holds());
}

/// What was written long ago counts, for its pages are still there.
TEST(KeptMemory, ItKeepsNoMoreThanSoManyBytes) {
  constexpr std::size_t size = KeptMemory::most_resident;
  constexpr std::size_t most = size / 2;
  KeptMemory memory;
  const KeptMemory::Block first = memory.take(size);
  memory.keep(first, most + 1);
  const KeptMemory::Block again = memory.take(size);
  ASSERT_EQ(again.data, first.data);
  const KeptMemory::Block other = memory.take(size);
  memory.keep(other, most);
  EXPECT_EQ(memory.blocks(), 1U);
  memory.keep(again, 1);
  EXPECT_EQ(memory.blocks(), 1U);
  EXPECT_TRUE(memory.invariant_holds());
  const KeptMemory::Block newest = memory.take(size);
  EXPECT_EQ(newest.data, first.data);
  KeptMemory::give_back(newest);
  memory.keep(memory.take(size + 4096), size + 1);
  EXPECT_EQ(memory.blocks(), 0U) << "more than all of it";
}

TEST(KeptMemory, AllOfItCanBeReleased) {
  KeptMemory memory;
  const KeptMemory::Block block = memory.take(1 << 20);
  write(block, 4096);
  memory.keep(block, 4096);
  memory.release();
  EXPECT_EQ(memory.blocks(), 0U);
  EXPECT_FALSE(is_resident(block.data));
}

/// Whose address space is full, of kept memory alone.
TEST(KeptMemory, ItIsGivenUpBeforeTheSystemRefuses) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "takes an address space without bound";
#endif
  constexpr std::size_t size = std::size_t{1} << 34;
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit narrow{size + size / 2, before.rlim_max};
  KeptMemory memory;
  memory.keep(memory.take(size), 0);
  setrlimit(RLIMIT_AS, &narrow);
  KeptMemory::Block larger;
  EXPECT_NO_THROW(larger = memory.take(size + 4096));
  EXPECT_EQ(memory.blocks(), 0U);
  EXPECT_THROW((void)memory.take(size), std::bad_alloc);
  setrlimit(RLIMIT_AS, &before);
  if (larger.data != nullptr) KeptMemory::give_back(larger);
}

#if defined(__SANITIZE_ADDRESS__)
TEST(KeptMemoryDeathTest, WhoeverUsesItMeanwhileIsFoundOut) {
  for (const std::size_t size : kept_sizes) {
    KeptMemory memory;
    const KeptMemory::Block block = memory.take(size);
    write(block, 5000);
    memory.keep(block, 5000);
    EXPECT_DEATH(block.data[4999] = std::byte{7}, "use-after-poison");
    const KeptMemory::Block next = memory.take(size);
    write(next, size);
    KeptMemory::give_back(next);
  }
}
#endif

TEST(KeptMemory, ThreadsShareIt) {
  KeptMemory memory;
  const auto use = [&memory] {
    for (int i = 0; i < 500; ++i) {
      const KeptMemory::Block block = memory.take(KeptMemory::smallest);
      ASSERT_EQ(block.data[0], std::byte{0});
      ASSERT_EQ(block.data[99], std::byte{0});
      write(block, 100);
      memory.keep(block, 100);
    }
  };
  {
    std::jthread one(use);
    std::jthread two(use);
    use();
  }
  EXPECT_LE(memory.blocks(), 3U);
  EXPECT_TRUE(memory.invariant_holds());
}

TEST(MappedBytes, AreKeptOnlyWhenToldSo) {
  KeptMemory& memory = KeptMemory::of_process();
  memory.release();
  { const MappedBytes bytes(1 << 20); }
  EXPECT_EQ(memory.blocks(), 0U);
  const std::byte* first = nullptr;
  {
    MappedBytes bytes(1 << 20);
    first = bytes.data();
    bytes.data()[99] = std::byte{7};
    bytes.keep_for_the_next(100);
    const MappedBytes moved(std::move(bytes));
    MappedBytes assigned;
    assigned = MappedBytes(64);
  }
  EXPECT_EQ(memory.blocks(), 1U);
  const MappedBytes next(1 << 20);
  EXPECT_EQ(next.data(), first);
  EXPECT_EQ(next.data()[99], std::byte{0});
  EXPECT_EQ(memory.blocks(), 0U);
}

TEST(MappedArray, ClearsTheElementsThatWereWritten) {
  KeptMemory::of_process().release();
  {
    MappedArray<uint64_t> array(1 << 17);
    array[2] = 7;
    array.keep_for_the_next(3);
    MappedArray<uint64_t> whole(1 << 17);
    whole[(1 << 17) - 1] = 7;
    whole.keep_for_the_next(uint64_t{1} << 40);
    MappedArray<uint64_t> assigned;
    assigned = std::move(whole);
  }
  EXPECT_EQ(KeptMemory::of_process().blocks(), 2U);
  EXPECT_TRUE(KeptMemory::of_process().invariant_holds());
  KeptMemory::of_process().release();
}

}  // namespace
}  // namespace pto2
