#include "runtime/record/external_memory.hpp"

#include <gtest/gtest.h>

namespace pto2::test {
namespace {

ParamRecord external(uint64_t base, uint64_t bytes) {
  return {.direction = Direction::in,
          .external = true,
          .base = base,
          .element = 1,
          .dims = 1,
          .strides = {1},
          .start = {0},
          .extent = {bytes}};
}

/// The parameters, each of a task of its own, after their memory was numbered.
std::vector<ParamRecord> numbered(const std::vector<ParamRecord>& params) {
  std::vector<TaskRecord> tasks;
  for (const ParamRecord& param : params) tasks.emplace_back().params = {param};
  number_external_memory(tasks);
  std::vector<ParamRecord> result;
  for (const TaskRecord& task : tasks) result.push_back(task.params.front());
  return result;
}

TEST(ExternalMemory, IsNumberedByFirstUse) {
  const auto params = numbered({external(5000, 10), external(1000, 10), external(5000, 20)});
  EXPECT_EQ(params[0].memory, 0U);
  EXPECT_EQ(params[1].memory, 1U);
  EXPECT_EQ(params[1].base, 0U);
  EXPECT_EQ(params[2].memory, 0U);
}

TEST(ExternalMemory, BuffersThatShareBytesAreOnePiece) {
  const auto params = numbered({external(1064, 100), external(1000, 65), external(1164, 8)});
  EXPECT_EQ(params[1].memory, 0U);
  EXPECT_EQ(params[0].memory, 0U);
  EXPECT_EQ(params[0].base, 64U);
  EXPECT_EQ(params[2].memory, 1U) << "a neighbour shares none";
}

TEST(ExternalMemory, ABufferInsideOfAnotherEndsNothing) {
  const auto params = numbered({external(1000, 100), external(1010, 8), external(1050, 8)});
  for (const ParamRecord& param : params) EXPECT_EQ(param.memory, 0U);
  EXPECT_EQ(params[2].base, 50U);
}

TEST(ExternalMemory, BuffersOfTheRuntimeAreNone) {
  ParamRecord inner = external(1000, 5000);
  inner.external = false;
  const auto params = numbered({inner, external(3000, 8)});
  EXPECT_EQ(params[0].base, 1000U);
  EXPECT_EQ(params[1].memory, 0U);
  EXPECT_EQ(params[1].base, 0U);
}

TEST(ExternalMemory, APieceIsAsOldAsTheFirstUseOfAnyOfIt) {
  const auto params = numbered({external(1064, 8), external(5000, 8), external(1000, 100)});
  EXPECT_EQ(params[0].memory, 0U);
  EXPECT_EQ(params[1].memory, 1U);
  EXPECT_EQ(params[2].memory, 0U);
}

TEST(ExternalMemory, BeginsWithItsBaseAndEndsWithItsLastElement) {
  ParamRecord row = external(1000, 8);
  row.origin = 64;
  const auto params = numbered({row, external(1071, 1), external(1072, 1)});
  EXPECT_EQ(params[0].base, 0U);
  EXPECT_EQ(params[1].memory, 0U);
  EXPECT_EQ(params[1].base, 71U);
  EXPECT_EQ(params[2].memory, 1U);
}

/// Nobody has promised that a buffer ends before the addresses do. Of one that does not its first
/// byte is known, which is a piece as any other.
TEST(ExternalMemory, HasAtLeastAByteWhereItsEndIsPastAllAddresses) {
  const auto params = numbered({external(1000, ~uint64_t{0}), external(1000, 8),
                                external(5000, ~uint64_t{0}), external(5001, 8)});
  EXPECT_EQ(params[0].memory, 0U);
  EXPECT_EQ(params[1].memory, 0U);
  EXPECT_EQ(params[2].memory, 1U);
  EXPECT_EQ(params[3].memory, 2U);
}

}  // namespace
}  // namespace pto2::test
