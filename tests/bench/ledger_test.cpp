#include "bench/ledger.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/popped.hpp"

namespace pto2::bench {
namespace {

constexpr OrderSite word_load{"word.load", Operation::load, std::memory_order_relaxed};
constexpr OrderSite word_store{"word.store", Operation::store, std::memory_order_relaxed};
constexpr OrderSite other_load{"other.load", Operation::load, std::memory_order_relaxed};
constexpr OrderSite other_store{"other.store", Operation::store, std::memory_order_relaxed};

/// What the steps of two threads, who take turns, transfer.
Transfers in_turns(const std::function<void(int turn)>& first,
                   const std::function<void(int turn)>& second, int turns) {
  CacheLedger ledger;
  Ledger::team team({{.seed = 1, .strategy = executors::Strategy::random}, &ledger});
  int next = 0;  // not shared data: all threads are fibers of one
  const auto take_turns = [&](int own, const std::function<void(int turn)>& step) {
    for (int turn = 0; turn < turns; ++turn) {
      Ledger::spin([&] { return next % 2 == own; });
      step(turn);
      ++next;
    }
  };
  team.add("first", 0, [&] { take_turns(0, first); });
  team.add("second", 0, [&] { take_turns(1, second); });
  team.run();
  return ledger.transfers();
}

/// Nobody runs, so it is nobody's access.
TEST(Ledger, CountsNothingWithoutATeam) {
  Ledger::atomic<uint32_t> word{1};
  word.store(2, Ledger::order(word_store));
  Ledger::cell<TaskId> data;
  data.write(TaskId{3});
  EXPECT_EQ(word.load(Ledger::order(word_load)), 2u);
  EXPECT_EQ(data.read(), TaskId{3});
}

TEST(Ledger, CountsHandOversByTheSiteOfAnAccess) {
  alignas(cache_line) Ledger::atomic<uint32_t> word{0};
  const auto add = [&](int) { word.fetch_add(1, Ledger::order(word_store)); };
  const auto look = [&](int) { (void)word.load(Ledger::order(other_load)); };
  EXPECT_EQ(in_turns(add, add, 5), (Transfers{{"word", 9}}));
  EXPECT_EQ(in_turns(add, look, 5), (Transfers{{"word", 4}, {"other", 5}}));
  EXPECT_EQ(in_turns(look, look, 5), (Transfers{{"other", 1}}));
}

struct alignas(cache_line) TwoWords {
  Ledger::atomic<uint32_t> word{0};
  Ledger::atomic<uint32_t> other{0};
};
struct TwoLines {
  alignas(cache_line) Ledger::atomic<uint32_t> word{0};
  alignas(cache_line) Ledger::atomic<uint32_t> other{0};
};
template <class Words>
Transfers of_two_owners() {
  Words words;
  return in_turns([&](int) { words.word.store(1, Ledger::order(word_store)); },
                  [&](int) { words.other.store(1, Ledger::order(other_store)); }, 5);
}

TEST(Ledger, TwoAtomicsInOneLineShareIt) {
  EXPECT_EQ(of_two_owners<TwoWords>(), (Transfers{{"word", 4}, {"other", 5}}));
  EXPECT_EQ(of_two_owners<TwoLines>(), Transfers());
}

/// The line is taken before the comparison.
TEST(Ledger, AComparisonThatFailsTakesTheLine) {
  alignas(cache_line) Ledger::atomic<uint32_t> word{0};
  const auto fail = [&](int) {
    uint32_t expected = 1;
    EXPECT_FALSE(word.compare_exchange_strong(expected, 2, Ledger::order(word_store),
                                              Ledger::order(word_load)));
  };
  EXPECT_EQ(in_turns(fail, fail, 5), (Transfers{{"word", 9}}));
}

TEST(Ledger, CountsPlainDataByItsType) {
  alignas(cache_line) Ledger::cell<TaskDescriptor> data;
  const auto write = [&](int) { data.write({}); };
  const auto read = [&](int) { (void)data.read(); };
  EXPECT_EQ(in_turns(write, read, 5), (Transfers{{"task_slot", 9}}));
}

TEST(LedgerQueue, KeepsOrderAndRefusesWhenFull) {
  Ledger::bounded_queue<SlotId> queue(2);
  for (uint32_t round = 0; round < 5; ++round) {
    EXPECT_EQ(test::popped<SlotId>(queue), std::nullopt);
    EXPECT_TRUE(queue.try_push(SlotId(round)));
    EXPECT_TRUE(queue.try_push(SlotId(round + 1)));
    EXPECT_FALSE(queue.try_push(SlotId(9)));
    EXPECT_EQ(test::popped<SlotId>(queue), SlotId(round));
    EXPECT_EQ(test::popped<SlotId>(queue), SlotId(round + 1));
  }
}

/// Four entries are in a line, which each operation reads and then writes; only the first push has
/// it from memory. Nobody needs the other's end while the queue is neither full nor empty.
TEST(LedgerQueue, TransfersTheLineOfAnEntry) {
  Ledger::bounded_queue<SlotId> queue(16);
  const auto push = [&](int turn) { EXPECT_TRUE(queue.try_push(SlotId(turn))); };
  const auto pop = [&](int turn) { EXPECT_EQ(test::popped<SlotId>(queue), SlotId(turn)); };
  EXPECT_EQ(in_turns(push, pop, 4), (Transfers{{"ready_queue", 2 + 3 * 4}}));
}

}  // namespace
}  // namespace pto2::bench
