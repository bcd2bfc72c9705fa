#include "runtime/trace/external_memory.hpp"

#include <gtest/gtest.h>

namespace pto2::test {
namespace {

TracedParam external(uint64_t base, uint64_t bytes) {
  TracedParam param;
  param.type = PTOParamType::INPUT;
  param.external = true;
  param.base = base;
  param.region.end = bytes;
  return param;
}

TEST(ExternalMemory, IsNumberedByFirstUse) {
  const TracedParam params[] = {external(5000, 10), external(1000, 10), external(5000, 20)};
  const ExternalMemory memory(params);
  EXPECT_EQ(memory.place_of(5000).memory, 0U);
  EXPECT_EQ(memory.place_of(1000).memory, 1U);
  EXPECT_EQ(memory.place_of(1000).offset, 0U);
}

TEST(ExternalMemory, BuffersThatShareBytesAreOnePiece) {
  const TracedParam params[] = {external(1064, 100), external(1000, 65), external(1164, 8)};
  const ExternalMemory memory(params);
  EXPECT_EQ(memory.place_of(1000).memory, 0U);
  EXPECT_EQ(memory.place_of(1064).memory, 0U);
  EXPECT_EQ(memory.place_of(1064).offset, 64U);
  EXPECT_EQ(memory.place_of(1164).memory, 1U) << "a neighbour shares none";
}

TEST(ExternalMemory, BuffersOfTheRuntimeAreNone) {
  TracedParam inner = external(1000, 5000);
  inner.external = false;
  const TracedParam params[] = {inner, external(3000, 8)};
  const ExternalMemory memory(params);
  EXPECT_EQ(memory.place_of(3000).memory, 0U);
  EXPECT_EQ(memory.place_of(3000).offset, 0U);
}

TEST(ExternalMemory, APieceIsAsOldAsTheFirstUseOfAnyOfIt) {
  const TracedParam params[] = {external(1064, 8), external(5000, 8), external(1000, 100)};
  const ExternalMemory memory(params);
  EXPECT_EQ(memory.place_of(1064).memory, 0U);
  EXPECT_EQ(memory.place_of(5000).memory, 1U);
}

}  // namespace
}  // namespace pto2::test
