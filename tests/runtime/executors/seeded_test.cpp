#include "runtime/executors/seeded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/popped.hpp"

namespace pto2::executors {
namespace {

constexpr auto seq_cst = std::memory_order_seq_cst;

TEST(SeededAtomic, BehavesAsAnAtomic) {
  Seeded::atomic<uint32_t> word{5};
  EXPECT_EQ(word.load(seq_cst), 5u);
  word.store(6, seq_cst);
  EXPECT_EQ(word.exchange(7, seq_cst), 6u);
  EXPECT_EQ(word.fetch_add(3, seq_cst), 7u);
  EXPECT_EQ(word.fetch_sub(2, seq_cst), 10u);
  EXPECT_EQ(word.fetch_or(0x10, seq_cst), 8u);
  EXPECT_EQ(word.fetch_and(0x10, seq_cst), 0x18u);
  uint32_t expected = 1;
  EXPECT_FALSE(word.compare_exchange_strong(expected, 9, seq_cst, seq_cst));
  EXPECT_EQ(expected, 0x10u);
  EXPECT_TRUE(word.compare_exchange_strong(expected, 9, seq_cst, seq_cst));
  EXPECT_EQ(word.load(seq_cst), 9u);
}

TEST(SeededQueue, KeepsOrderAndRefusesWhenFull) {
  Seeded::bounded_queue<int> queue(2);
  EXPECT_EQ(test::popped<int>(queue), std::nullopt);
  EXPECT_TRUE(queue.try_push(1));
  EXPECT_TRUE(queue.try_push(2));
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(test::popped<int>(queue), 1);
  EXPECT_TRUE(queue.try_push(3));
  EXPECT_EQ(test::popped<int>(queue), 2);
  EXPECT_EQ(test::popped<int>(queue), 3);
  EXPECT_EQ(test::popped<int>(queue), std::nullopt);
}

/// Runs two bodies on one cell under many seeds. What the first race that is seen says.
std::string race(void (*first)(Seeded::cell<int>&), void (*second)(Seeded::cell<int>&)) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Seeded::cell<int> cell;
    Seeded::team team({.seed = seed});
    team.add("first", 0, [&] { first(cell); });
    team.add("second", 0, [&] { second(cell); });
    try {
      team.run();
    } catch (const SeededFailure& failure) {
      return failure.what();
    }
  }
  return "";
}

void write_it(Seeded::cell<int>& cell) {
  cell.write(1);
}
void read_it(Seeded::cell<int>& cell) {
  (void)cell.read();
}

TEST(SeededCell, AReadDuringAWriteIsARace) {
  EXPECT_THAT(race(write_it, read_it),
              testing::ContainsRegex("seed .*nobody else accesses a cell"));
}

TEST(SeededCell, TwoWritesAreARace) {
  EXPECT_THAT(race(write_it, write_it), testing::HasSubstr("nobody else accesses a cell"));
}

TEST(SeededCell, AGuardLastsAsLongAsItLives) {
  const auto read_for_long = [](Seeded::cell<int>& cell) {
    const auto guard = cell.reading();
    memory_at_point<SequentialMemory>();
    EXPECT_EQ(*guard, 0);
  };
  EXPECT_THAT(race(read_for_long, write_it), testing::HasSubstr("nobody else accesses a cell"));
  const auto edit_for_long = [](Seeded::cell<int>& cell) {
    const auto guard = cell.editing();
    memory_at_point<SequentialMemory>();
    *guard = 1;
  };
  EXPECT_THAT(race(edit_for_long, read_it), testing::HasSubstr("nobody else accesses a cell"));
}

TEST(SeededCell, AWriteInTheMiddleOfAReadIsARace) {
  static bool reads;
  reads = false;
  const auto read_for_long = [](Seeded::cell<int>& cell) {
    const auto guard = cell.reading();
    reads = true;
    memory_at_point<SequentialMemory>();
    reads = false;
  };
  const auto write_meanwhile = [](Seeded::cell<int>& cell) {
    if (reads) cell.write(1);
  };
  EXPECT_THAT(race(read_for_long, write_meanwhile), testing::HasSubstr("second: invariant"));
}

/// Whether, in some schedule, the other thread sees what was stored before the storing thread has
/// gone on.
template <class Shared>
bool seen_before_going_on(uint32_t stores_per_point, void (*store)(Shared&),
                          bool (*sees)(Shared&)) {
  bool seen = false;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Shared shared(1);
    bool gone_on = false;
    Seeded::team team({.seed = seed, .stores_per_point = stores_per_point});
    team.add("writer", 0, [&] {
      store(shared);
      gone_on = true;
    });
    team.add("reader", 0, [&] { seen |= sees(shared) && !gone_on; });
    team.run();
  }
  return seen;
}

using Word = Seeded::atomic<int>;
using Queue = Seeded::bounded_queue<int>;

TEST(SeededAtomic, AStoreCanBeSeenBeforeItsThreadGoesOn) {
  const auto sees = [](Word& word) { return word.load(seq_cst) == 2; };
  for (void (*store)(Word&) : {+[](Word& word) { word.store(2, seq_cst); },
                               +[](Word& word) { word.fetch_add(1, seq_cst); },
                               +[](Word& word) {
                                 int expected = 1;
                                 word.compare_exchange_strong(expected, 2, seq_cst, seq_cst);
                               }}) {
    EXPECT_TRUE(seen_before_going_on<Word>(1, store, sees));
    EXPECT_FALSE(seen_before_going_on<Word>(0, store, sees)) << "without points after stores";
  }
}

TEST(SeededQueue, APushCanBeSeenBeforeItsThreadGoesOn) {
  const auto push = [](Queue& queue) { EXPECT_TRUE(queue.try_push(2)); };
  const auto sees = [](Queue& queue) { return test::popped<int>(queue) == 2; };
  EXPECT_TRUE(seen_before_going_on<Queue>(1, push, sees));
  EXPECT_FALSE(seen_before_going_on<Queue>(0, push, sees)) << "without points after stores";
}

TEST(SeededCell, TwoReadsAreNone) {
  EXPECT_EQ(race(read_it, read_it), "");
}

TEST(SeededCell, OneAfterTheOtherIsNone) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Seeded::cell<int> cell;
    Seeded::atomic<int> flag{0};
    Seeded::team team({.seed = seed});
    SeededThread* reader = nullptr;
    team.add("writer", 0, [&] {
      cell.write(42);
      flag.store(1, seq_cst);
      reader->ring();
    });
    reader = &team.add("reader", 0, [&] {
      Seeded::await([&] { return flag.load(seq_cst) == 1; });
      EXPECT_EQ(cell.read(), 42);
    });
    team.run();
  }
}

}  // namespace
}  // namespace pto2::executors
