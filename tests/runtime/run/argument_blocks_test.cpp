#include "runtime/run/argument_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

namespace pto2::test {
namespace {

constexpr std::size_t chunk = ArgumentBlocks::chunk_bytes;

std::byte* begin_of(const TaskArguments& arguments, uint32_t params) {
  return reinterpret_cast<std::byte*>(&arguments.call()) - TaskArguments::bytes_in_front(params);
}

/// As the submitter does.
TaskArguments take(ArgumentBlocks& blocks, uint64_t local, uint32_t params, uint64_t alive) {
  if (!blocks.has_room(params)) blocks.make_room(local, alive);
  return blocks.take(params);
}

TEST(ArgumentBlocks, HaveOneLineForATaskWithoutParameters) {
  EXPECT_EQ(ArgumentBlocks::bytes_of(0), 64U);
}

TEST(ArgumentBlocks, HaveALineForAParameterAndOneMore) {
  for (uint32_t params = 1; params <= 6; ++params) {
    EXPECT_EQ(ArgumentBlocks::bytes_of(params), 64U * (params + 1));
  }
}

TEST(ArgumentBlocks, HaveRoomForTheMostParameters) {
  EXPECT_EQ(ArgumentBlocks::bytes_of(32), 28U * 64 + 5 * 64);
}

/// Of one task, filled whole.
struct Alive {
  TaskArguments arguments;
  uint32_t params;
  int64_t stamp;
};

Alive fill(TaskArguments arguments, uint32_t params, int64_t stamp) {
  arguments.call().params = static_cast<uint8_t>(params);
  for (uint32_t i = 0; i < params; ++i) {
    arguments.values()[i] = stamp;
    arguments.tensor(i) = {static_cast<uint64_t>(stamp), {}, {}, DataType::INT8, i + 1};
  }
  return {arguments, params, stamp};
}

void expect_untouched(const Alive& task) {
  ASSERT_EQ(task.arguments.call().params, task.params);
  for (uint32_t i = 0; i < task.params; ++i) {
    ASSERT_EQ(task.arguments.values()[i], task.stamp);
    ASSERT_EQ(task.arguments.tensor(i).address, static_cast<uint64_t>(task.stamp));
    ASSERT_EQ(task.arguments.tensor(i).ndims, i + 1);
  }
}

/// Whatever tasks come, up to the window, none of those alive loses its arguments.
TEST(ArgumentBlocks, AreKeptAsLongAsTheirTaskIsAlive) {
  for (const uint32_t window : {1U, 2U, 16U, 256U}) {
    std::mt19937 random(window);
    ArgumentBlocks blocks(window);
    std::deque<Alive> alive;
    uint64_t oldest = 0;
    for (uint64_t local = 0; local < 20 * window + 2000; ++local) {
      const bool full = alive.size() == window;
      const std::size_t gone = random() % 50 == 0 ? random() % (alive.size() + 1) : 0;
      for (std::size_t i = 0; i < std::max<std::size_t>(gone, full ? 1 : 0); ++i, ++oldest) {
        expect_untouched(alive.front());
        alive.pop_front();
      }
      const auto params = static_cast<uint32_t>(random() % 3 == 0 ? 32 : random() % 33);
      alive.push_back(
          fill(take(blocks, local, params, oldest), params, static_cast<int64_t>(local)));
      ASSERT_EQ(reinterpret_cast<uintptr_t>(&alive.back().arguments.call()) % 64, 0U);
    }
    for (const Alive& task : alive) expect_untouched(task);
  }
}

/// The largest that there are, so that most of each chunk's end is lost.
TEST(ArgumentBlocks, AreEnoughForAWindowOfTheLargestTasks) {
  for (const uint32_t window : {1U, 4U, 64U, 1024U}) {
    ArgumentBlocks blocks(window);
    for (uint64_t local = 0; local < 8 * window; ++local) {
      const uint64_t alive = local < window ? 0 : local - window + 1;
      fill(take(blocks, local, 32, alive), 32, 0);
    }
    EXPECT_LE(blocks.chunks(), window / 3 + 3);
  }
}

TEST(ArgumentBlocks, UseAChunkAgainThatHasNoTaskAlive) {
  ArgumentBlocks blocks(1 << 16);
  const uint64_t per_chunk = chunk / ArgumentBlocks::bytes_of(3);
  for (uint64_t local = 0; local < 100 * per_chunk; ++local) {
    fill(take(blocks, local, 3, local - std::min(local, per_chunk)), 3, 0);
  }
  EXPECT_EQ(blocks.chunks(), 2U);
}

/// The last task of the oldest chunk decides, and it must be reclaimed.
TEST(ArgumentBlocks, TakeNewMemoryWhileTheOldestChunkHasATaskAlive) {
  const uint64_t per_chunk = chunk / ArgumentBlocks::bytes_of(1);
  for (const bool reclaimed : {false, true}) {
    ArgumentBlocks blocks(1 << 16);
    std::byte* const first = begin_of(take(blocks, 0, 1, 0), 1);
    for (uint64_t local = 1; local < per_chunk; ++local) fill(take(blocks, local, 1, 0), 1, 0);
    EXPECT_EQ(blocks.chunks(), 1U);
    const uint64_t alive = reclaimed ? per_chunk : per_chunk - 1;
    std::byte* const next = begin_of(take(blocks, per_chunk, 1, alive), 1);
    EXPECT_EQ(next == first, reclaimed);
    EXPECT_EQ(blocks.chunks(), reclaimed ? 1U : 2U);
  }
}

TEST(ArgumentBlocks, TellWhereTheNextLinesAre) {
  ArgumentBlocks blocks(16);
  for (const uint32_t params : {2, 5}) {
    const std::byte* const next = blocks.next();
    EXPECT_EQ(begin_of(take(blocks, 0, params, 0), params), next);
  }
}

TEST(ArgumentBlocksDeathTest, RefuseMoreParametersThanATaskHas) {
  ArgumentBlocks blocks(16);
  EXPECT_DEATH(static_cast<void>(take(blocks, 0, 33, 0)), "AB-P1");
}

}  // namespace
}  // namespace pto2::test
