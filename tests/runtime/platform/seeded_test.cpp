#include "runtime/platform/seeded.hpp"

#include <gtest/gtest.h>

namespace pto2::platform {
namespace {

constexpr auto order = std::memory_order_seq_cst;

TEST(SeededAtomic, BehavesAsAnAtomic) {
  SeededAtomic<uint32_t> word{5};
  EXPECT_EQ(word.load(order), 5u);
  word.store(6, order);
  EXPECT_EQ(word.exchange(7, order), 6u);
  EXPECT_EQ(word.fetch_add(3, order), 7u);
  EXPECT_EQ(word.fetch_sub(2, order), 10u);
  EXPECT_EQ(word.fetch_or(0x10, order), 8u);
  EXPECT_EQ(word.fetch_and(0x10, order), 0x18u);
  uint32_t expected = 1;
  EXPECT_FALSE(word.compare_exchange_strong(expected, 9, order, order));
  EXPECT_EQ(expected, 0x10u);
  EXPECT_TRUE(word.compare_exchange_strong(expected, 9, order, order));
  EXPECT_EQ(word.load(order), 9u);
}

TEST(SeededQueue, KeepsOrderAndRefusesWhenFull) {
  SeededQueue<int> queue(2);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
  EXPECT_TRUE(queue.try_push(1));
  EXPECT_TRUE(queue.try_push(2));
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(queue.try_pop(), 1);
  EXPECT_TRUE(queue.try_push(3));
  EXPECT_EQ(queue.try_pop(), 2);
  EXPECT_EQ(queue.try_pop(), 3);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

/// Runs two bodies on one cell under many seeds; dies at the first race that is seen.
void race(void (*first)(SeededCell<int>&), void (*second)(SeededCell<int>&)) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SeededCell<int> cell;
    SeededTeam team({.seed = seed});
    team.add("first", 0, [&] { first(cell); });
    team.add("second", 0, [&] { second(cell); });
    team.run();
  }
}

void write_it(SeededCell<int>& cell) {
  cell.write(1);
}
void read_it(SeededCell<int>& cell) {
  (void)cell.read();
}

TEST(SeededCellDeathTest, AReadDuringAWriteIsARace) {
  EXPECT_DEATH(race(write_it, read_it), "not read while it is written.*(.|\n)*seed");
}

TEST(SeededCellDeathTest, TwoWritesAreARace) {
  EXPECT_DEATH(race(write_it, write_it), "not written by two threads");
}

TEST(SeededCell, TwoReadsAreNone) {
  race(read_it, read_it);
}

TEST(SeededCell, OneAfterTheOtherIsNone) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SeededCell<int> cell;
    SeededAtomic<int> flag{0};
    SeededTeam team({.seed = seed});
    SeededThread* reader = nullptr;
    team.add("writer", 0, [&] {
      cell.write(42);
      flag.store(1, order);
      reader->ring();
    });
    reader = &team.add("reader", 0, [&] {
      Seeded::await([&] { return flag.load(order) == 1; });
      EXPECT_EQ(cell.read(), 42);
    });
    team.run();
  }
}

}  // namespace
}  // namespace pto2::platform
