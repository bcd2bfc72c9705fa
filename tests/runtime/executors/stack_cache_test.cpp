#include "runtime/executors/stack_cache.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/unusable_memory.hpp"

namespace pto2::executors {
namespace {

constexpr std::size_t bytes = std::size_t{64} << 10;

char* lowest_usable(const StackCache::Stack& stack) {
  return static_cast<char*>(stack.sp) - stack.size;
}

void mark(const StackCache::Stack& stack) {
  std::memcpy(lowest_usable(stack), &stack.sp, sizeof stack.sp);
}

/// Whether a stack that was marked is still mapped. Others may have mapped its addresses since: the
/// sanitizers' runtimes do, so the mark is looked for, by a system call that refuses what is not
/// there.
bool is_mapped(const StackCache::Stack& stack) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  void* found = nullptr;
  const bool readable = ::write(ends[1], lowest_usable(stack), sizeof found) == sizeof found &&
                        ::read(ends[0], &found, sizeof found) == sizeof found;
  close(ends[0]);
  close(ends[1]);
  return readable && found == stack.sp;
}

TEST(StackCache, AStackThatCameBackIsTheNext) {
  StackCache cache;
  const StackCache::Stack first = cache.take(bytes);
  lowest_usable(first)[0] = 'x';
  cache.give_back(first, bytes);
  const StackCache::Stack second = cache.take(bytes);
  EXPECT_EQ(second.sp, first.sp);
  EXPECT_EQ(lowest_usable(second)[0], 'x') << "it was mapped anew";
  cache.give_back(second, bytes);
}

TEST(StackCache, StacksInUseAreDifferentAndFewAreKept) {
  StackCache cache;
  std::set<void*> tops;
  std::vector<StackCache::Stack> stacks;
  for (int i = 0; i < 200; ++i) stacks.push_back(cache.take(bytes));
  for (const auto& stack : stacks) {
    EXPECT_TRUE(tops.insert(stack.sp).second);
    mark(stack);
  }
  for (const auto& stack : stacks) cache.give_back(stack, bytes);
  EXPECT_EQ(std::count_if(stacks.begin(), stacks.end(), is_mapped), 128) << "it keeps so many";
}

TEST(StackCache, AnotherSizeGetsStacksOfItsOwn) {
  StackCache cache;
  cache.give_back(cache.take(bytes), bytes);
  const StackCache::Stack larger = cache.take(4 * bytes);
  EXPECT_GE(larger.size, 4 * bytes);
  mark(larger);
  const StackCache::Stack smaller = cache.take(bytes);
  EXPECT_LT(smaller.size, 4 * bytes);
  cache.give_back(larger, 4 * bytes);
  EXPECT_FALSE(is_mapped(larger)) << "it is kept among the smaller ones";
  cache.give_back(smaller, bytes);
}

TEST(StackCache, KeptStacksGoWithTheCache) {
  StackCache::Stack stack;
  {
    StackCache cache;
    stack = cache.take(bytes);
    mark(stack);
    cache.give_back(stack, bytes);
    EXPECT_TRUE(is_mapped(stack));
  }
  EXPECT_FALSE(is_mapped(stack));
}

TEST(StackCache, AnotherThreadMayGiveAStackBack) {
  const StackCache::Stack stack = StackCache::local().take(bytes);
  mark(stack);
  EXPECT_TRUE(is_mapped(stack));
  std::thread([&] { StackCache::local().give_back(stack, bytes); }).join();
  EXPECT_FALSE(is_mapped(stack)) << "the thread is gone";
}

TEST(StackCacheDeathTest, AKeptStackKeepsItsGuard) {
  StackCache cache;
  cache.give_back(cache.take(bytes), bytes);
  const StackCache::Stack stack = cache.take(bytes);
  EXPECT_DEATH(lowest_usable(stack)[-1] = 'x', "");
  cache.give_back(stack, bytes);
}

// A frame that is larger than the stack may begin anywhere in it.
TEST(StackCache, NothingLiesInTheGapBelowAStack) {
  StackCache cache;
  const std::vector<StackCache::Stack> stacks{cache.take(bytes), cache.take(bytes)};
  for (const StackCache::Stack& stack : stacks) {
    for (std::size_t below = 4096; below <= StackCache::gap; below += std::size_t{1} << 20) {
      EXPECT_TRUE(test::is_unusable(lowest_usable(stack) - below)) << below;
    }
    cache.give_back(stack, bytes);
  }
}

TEST(StackCacheDeathTest, OfALimitedAddressSpaceTheGapsTakeLittle) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs all of the address space";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto take_many = [] {
    const rlimit limit{.rlim_cur = rlim_t{1} << 30, .rlim_max = rlim_t{1} << 30};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
    StackCache cache;
    for (int i = 0; i < 4000; ++i) static_cast<void>(cache.take(bytes));
    _exit(0);
  };
  EXPECT_EXIT(take_many(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pto2::executors
